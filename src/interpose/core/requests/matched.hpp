// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/never_destroyed.hpp"

#include <typewarp/probe.hpp>

#include <mpi.h>

#include <map>
#include <mutex>
#include <unordered_map>

/// Messages that we have matched for the program, which knows them by MPI_Message. Each has a handle of the
/// MPI's own, of an empty message from this rank to itself, so it cannot be mistaken for another handle.
namespace typewarp::interpose {

struct MatchedMessage {
  Message message;
  MPI_Comm comm;
};

/// All of this process, and the communicators of the messages that the MPI has matched, which MPI does not
/// tell. Thread safe.
class MatchedMessages {
 public:
  MatchedMessages(const MatchedMessages&) = delete;
  MatchedMessages& operator=(const MatchedMessages&) = delete;
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
