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

/// What this rank sends and receives by messages of ours.
struct MessageBlocks {
  transport::Neighbours edges;
  /// Of each edge. With plans: a program may free its datatypes once a persistent request is made.
  std::vector<Data> outgoing, incoming;
  bool replaces = false;                 ///< what came in before goes out, and nothing is in `outgoing`
  std::exception_ptr failure = nullptr;  ///< why this rank cannot take part; null if it can
};

/// Executes them: with what is copied where data is replaced, or lies in several memories. The peers of a
/// rank that cannot take part get an error in place of what it would send, and do not wait for it.
class LongBlocks {
 public:
  /// Messages go along a channel of `comm`, behind what `stream` holds. If memory runs out here, `blocks`
  /// stays unchanged.
  LongBlocks(MPI_Comm comm, std::shared_ptr<transport::CollectiveContext> channel, Stream stream,
             MessageBlocks&& blocks);
  LongBlocks(const LongBlocks&) = delete;
  LongBlocks& operator=(const LongBlocks&) = delete;

  /// Starts all as one; once at a time. This must live until they are over or given up; the copies do until
  /// they are over. `failure`: why this rank cannot take part; null if it can. That, or what it lacks here,
  /// is the error of what is started. Throws what EdgeExchange::start_failed() throws.
  Request begin(std::exception_ptr failure = nullptr);

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
  Request start();
  void copy_outgoing();

  MPI_Comm comm_;
  Stream stream_;
  std::shared_ptr<Copies> copies_;
  transport::EdgeExchange messages_;
  MessageBlocks blocks_;
  std::vector<SendPart> sends_;
  std::vector<RecvPart> receives_;
};

}  // namespace typewarp::interpose
