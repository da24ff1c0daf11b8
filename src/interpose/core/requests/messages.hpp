// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/never_destroyed.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "transport/buffer/staging.hpp"

#include <typewarp/probe.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

/// What calls for messages have in common.
namespace typewarp::interpose {

/// A message's packed stream in host memory, complete when made. Throws GpuError, std::bad_alloc.
class PackedCopy {
 public:
  explicit PackedCopy(const Data& data);

  const std::byte* data() const noexcept { return memory_.data(); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::int64_t bytes_;
  transport::Staging memory_;
};

/// A function that starts a send of some mode, and one that calls it for memory of any kinds.
using Begin = Request (*)(const void*, std::int64_t, const Plan&, int, int, MPI_Comm, Stream);
Request begin_send(Begin begin, const Data& data, const End& to);
/// Receives into memory of any kinds, from there or what was matched on `comm` (see imrecv()).
Request begin_receive(const Data& data, const End& from);
Request begin_receive(const Data& data, Message&& message, MPI_Comm comm);

/// The messages of a call that sends and receives: both are ours if either is.
class BothMessages {
 public:
  struct Side {
    const void* buffer;
    std::int64_t count;
    MPI_Datatype type;
    End end;
  };
  /// Decided by data_to_receive() and data_to_send(). Throws their errors.
  static std::optional<BothMessages> if_any_is_ours(const Side& sent, const Side& received, Posting& posting);
  /// Makes both ours, and ends `posting`.
  BothMessages(const Side& sent, const Side& received, Posting& posting);

  /// Starts both: {receive, send}. Throws what isend() and irecv() throw, and InvalidArgument for a datatype
  /// that is not committed.
  std::vector<Request> begin() const;

 private:
  BothMessages(const Side& sent, const Side& received) noexcept : sent_(sent), received_(received) {}
  void decide(Posting& posting);
  static Data data_of(const Side& side, const std::optional<Data>& ours);

  Side sent_, received_;
  std::optional<Data> incoming_, outgoing_;
};

/// Sends the copy by MPI_Bsend, through the buffer that the program has attached. Throws MpiError.
void send_buffered(const PackedCopy& copy, int destination, int tag, MPI_Comm comm);

// Messages that we have matched for the program, which knows them by MPI_Message. Each has a handle of the
// MPI's own, of an empty message from this rank to itself, so it cannot be mistaken for another handle.

struct MatchedMessage {
  Message message;
  MPI_Comm comm;
};

/// All of this process, and the communicators of the messages that the MPI has matched, which MPI does not
/// tell. Thread safe.
class MatchedMessages {
 public:
  /// Between MPI_Init and MPI_Finalize. Throw MpiError.
  void open(MPI_Comm self);
  void close() noexcept;

  /// Takes the message, unless it throws MpiError, std::bad_alloc.
  MPI_Message add(MatchedMessage& message);
  /// Notes a message that the MPI has matched.
  void note(MPI_Message handle, MPI_Comm comm) noexcept;
  /// The communicator of any message; fallback_comm() if the message is not known.
  MPI_Comm comm_of(MPI_Message handle) noexcept;
  /// The communicator of a message that the MPI has matched, which is forgotten.
  MPI_Comm take_comm(MPI_Message handle) noexcept;
  using Table = std::map<MPI_Message, MatchedMessage>;
  using Place = Table::node_type;
  /// The message that `handle` stands for, whose receive is about to start; empty if the MPI has matched it.
  /// If the receive starts, `handle` is ended, otherwise the message is put back.
  Place take(MPI_Message handle) noexcept;
  void put_back(Place place) noexcept;
  static void end(MPI_Message& handle) noexcept;

 private:
  friend class NeverDestroyed<MatchedMessages>;
  MatchedMessages() = default;

  std::mutex mutex_;
  Table messages_;
  std::unordered_map<MPI_Message, MPI_Comm> comms_;
  MPI_Comm self_ = MPI_COMM_NULL;  ///< the empty messages are sent on it
};

MatchedMessages& matched_messages();

}  // namespace typewarp::interpose
