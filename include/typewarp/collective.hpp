// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/p2p.hpp>

/// Many messages between the ranks of a communicator at once, each with its own buffer and plan:
/// MPI_Alltoallw and MPI_Neighbor_alltoallw on top of p2p.hpp, whose rules for memory, streams and errors
/// hold. Both ends must be calls of this library, and all ranks of the communicator must make the calls in
/// the same order. All messages are in flight at once; device memory that is sent without an announcement is
/// packed by one launch, as in batch.hpp.
///
/// The caller's receives never match these messages. Between ranks of a Session, the first call for a
/// communicator starts an MPI_Iallgather on it, which no call waits for: messages that cannot start before it
/// completes are started when the exchange next makes progress. Without a Session the first call, even a
/// nonblocking one, duplicates the communicator: it waits for all ranks, and runs the copy functions of the
/// communicator's attributes. The duplicate is kept and freed with the communicator.
namespace typewarp {

/// What is sent to one rank: `count` items of a plan.
struct SendPart {
  const void* buffer;
  std::int64_t count;
  Plan plan;
};
/// What is received from one rank, with the signature of what that rank sends. It must not send more.
struct RecvPart {
  void* buffer;
  std::int64_t count;
  Plan plan;
};

/// `sends[r]` goes to rank r, `receives[r]` comes from it. Throws InvalidArgument unless there are as many
/// parts as ranks, for wrong arguments such as "sends[i].count", and for an intercommunicator. Nothing has
/// started then. If messages fail later, throws the first error when all messages have ended. If a rank of
/// the Session cannot take part, as it lacks memory or its stream cannot be queried, that is its error, and
/// those that receive from it fail, too; later exchanges on the communicator are not affected.
void alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives, MPI_Comm comm,
               Stream stream = {});
/// Cannot be cancelled: destroying the request completes it.
[[nodiscard]] Request ialltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                                 MPI_Comm comm, Stream stream = {});

/// The same with the neighbours in a communicator with a topology, in MPI's order: in a Cartesian one, down
/// and up each dimension (what is sent down arrives as from above, even if both are the same rank); in a
/// graph, in the order in which the edges were given. Throws InvalidArgument if there is no topology.
void neighbor_alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives, MPI_Comm comm,
                        Stream stream = {});
[[nodiscard]] Request ineighbor_alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                                          MPI_Comm comm, Stream stream = {});

}  // namespace typewarp
