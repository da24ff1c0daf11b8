// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/requests/messages.hpp"
#include "transport/buffer/staging.hpp"
#include "transport/collective/exchange.hpp"
#include "transport/collective/neighbours.hpp"

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <optional>
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
  LongBlocks& operator=(LongBlocks&&) = delete;

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

/// The blocks that this rank sends and receives in a collective call, as messages of ours.
class BlockMessages {
 public:
  /// `own`: the number of this rank.
  BlockMessages(MPI_Comm comm, int own) noexcept : comm_(comm), own_(own) {}

  // Throw Error where a block cannot be moved by us, or is the MPI's to refuse.
  void send(int rank, const TypedBuffer& side, BlockPlace place) {
    add(blocks_.edges.destinations, blocks_.outgoing, rank, side, place);
  }
  void receive(int rank, const TypedBuffer& side, BlockPlace place) {
    add(blocks_.edges.sources, blocks_.incoming, rank, side, place);
  }
  /// All of a call. The same.
  void add(const CallBlocks& blocks);
  /// In place of add(), where that has failed: peers get errors, and do not wait for this rank, whose part of
  /// the call ends with `why`. Throws std::bad_alloc, and nothing is done then.
  void fail(const CallBlocks& blocks, std::exception_ptr why);

  /// Whether memory of a block is ours.
  bool any_is_ours() const noexcept { return any_is_ours_; }
  /// That of the first block in a device's memory, as far as it can be found.
  std::optional<int> device() const noexcept;
  /// Packed bytes of all blocks.
  std::int64_t bytes() const noexcept { return bytes_; }

  /// Moves all, once, and waits for that: what this rank has for itself by the engine, beside the messages. A
  /// rank without blocks calls it as well: the first exchange on a communicator needs every rank. Throws what
  /// ialltoallw() throws, when all messages are over.
  void exchange();
  /// The same for a call that gives a request, which moves all once, or each time that it is started.
  void start(const Form& form);
  /// From here on another communicator stands for it: the program may free its own before the blocks move.
  void go_on(MPI_Comm comm) noexcept { comm_ = comm; }
  /// To be begun by the caller, once, along a channel of the communicator, behind what `stream` holds. Takes
  /// all data; nothing where it throws.
  std::shared_ptr<LongBlocks> along(std::shared_ptr<transport::CollectiveContext> channel, Stream stream);

 private:
  void add(std::vector<transport::Neighbours::Edge>& edges, std::vector<Data>& all, int rank,
           const TypedBuffer& side, BlockPlace place);

  /// Takes what this rank has for itself out of the messages.
  struct OwnBlock {
    Data from, to;
  };
  std::optional<OwnBlock> take_own();

  MPI_Comm comm_;
  int own_;
  MessageBlocks blocks_;
  bool any_is_ours_ = false;
  std::int64_t bytes_ = 0;
};

}  // namespace typewarp::interpose
