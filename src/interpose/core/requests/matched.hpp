// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/probe.hpp>

#include <mpi.h>

#include <map>
#include <mutex>
#include <unordered_map>

/// Messages that we have matched for the program, which knows them by MPI_Message. Each has one of the MPI's
/// own, of an empty message from this rank to itself: so no handle of ours can be taken for another.
namespace typewarp::interpose {

struct MatchedMessage {
  Message message;
  MPI_Comm comm;
};

/// All of this process, and the communicators of those that the MPI has matched, which are not to be had from
/// the message. Thread safe.
class MatchedMessages {
 public:
  MatchedMessages(const MatchedMessages&) = delete;
  MatchedMessages& operator=(const MatchedMessages&) = delete;
  /// Between MPI_Init and MPI_Finalize. Throw MpiError.
  void open(MPI_Comm self);
  void close() noexcept;

  /// Throws MpiError, std::bad_alloc: `message` still has it then.
  MPI_Message add(MatchedMessage& message);
  /// Notes one of the MPI's.
  void note(MPI_Message handle, MPI_Comm comm) noexcept;
  /// The communicator of any message; fallback_comm() for one that is not known.
  MPI_Comm comm_of(MPI_Message handle) noexcept;
  /// That of one of the MPI's, which is forgotten.
  MPI_Comm take_comm(MPI_Message handle) noexcept;
  using Table = std::map<MPI_Message, MatchedMessage>;
  using Place = Table::node_type;
  /// That which `handle` stands for, whose receive is about to start; empty if it is the MPI's. It is put
  /// back where the receive does not start, or else `handle` ended.
  Place take(MPI_Message handle) noexcept;
  void put_back(Place place) noexcept;
  static void end(MPI_Message& handle) noexcept;

 private:
  friend MatchedMessages& matched_messages();
  MatchedMessages() = default;

  std::mutex mutex_;
  Table messages_;
  std::unordered_map<MPI_Message, MPI_Comm> comms_;
  MPI_Comm self_ = MPI_COMM_NULL;  ///< on which the empty messages travel
};

MatchedMessages& matched_messages();

}  // namespace typewarp::interpose
