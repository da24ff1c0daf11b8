// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"
#include "interpose/core/requests/messages.hpp"
#include "transport/buffer/staging.hpp"
#include "transport/collective/exchange.hpp"

#include <exception>
#include <list>
#include <memory>
#include <vector>

namespace typewarp::interpose {

/// The blocks of an exchange that are messages of ours, and what is copied where data is replaced, or lies in
/// several memories.
class LongBlocks {
 public:
  /// `incoming` of the edges that `messages` goes along, and `outgoing`; or, if it `replaces`, what came in
  /// before is what goes out. The streams of all are one. Where this throws, both are as they were.
  LongBlocks(transport::EdgeExchange messages, MPI_Comm comm, Stream stream, std::vector<Data>&& outgoing,
             std::vector<Data>&& incoming, bool replaces);
  /// Of a rank that cannot take part because of `failure`: its peers get an error in place of what it would
  /// send, and do not wait for it.
  LongBlocks(transport::EdgeExchange messages, MPI_Comm comm, std::exception_ptr failure);
  LongBlocks(const LongBlocks&) = delete;
  LongBlocks& operator=(const LongBlocks&) = delete;

  /// Starts all; once at a time. This must live until they are over or given up; the copies do until they
  /// are over. Throws what ialltoallw() throws. What the copies lack is the error of what is started.
  std::vector<Request> begin();

 private:
  /// What comes into several memories.
  struct Copied {
    Data data;
    transport::Staging memory;
  };
  struct Copies {
    std::list<PackedCopy> sent;
    std::vector<Copied> received;
  };
  SendPart to_send(const Data& data);
  RecvPart to_receive(const Data& data);
  void get_room();
  void copy_outgoing();

  transport::EdgeExchange messages_;
  MPI_Comm comm_;
  Stream stream_;
  bool replaces_;
  std::shared_ptr<Copies> copies_;
  std::vector<SendPart> sends_;
  std::vector<RecvPart> receives_;
  // With plans: a program may free its datatypes once a persistent request is made.
  std::vector<Data> outgoing_, incoming_;
  std::exception_ptr failure_;  ///< null if this rank can take part
};

}  // namespace typewarp::interpose
