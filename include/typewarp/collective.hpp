// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/p2p.hpp>

/// Many messages between the ranks of a communicator at once, each with a buffer and a plan of its own:
/// MPI_Alltoallw and MPI_Neighbor_alltoallw over p2p.hpp, whose rules for memory, streams and errors
/// hold. Both ends must be calls of this library, all ranks of the communicator must call, and in the same
/// order. All messages are in flight at once; device memory that is sent without being announced is packed by
/// one launch, as in batch.hpp.
///
/// No receive of the caller's takes the messages. Between ranks of a Session, the first call for a
/// communicator starts an MPI_Iallgather on it, for which no call waits: messages that cannot start before it
/// is complete start when the exchange is moved on. Elsewhere the first call, also a nonblocking one,
/// duplicates the communicator, for which it waits for all ranks, and which runs the copy functions of its
/// attributes; the duplicate is kept with it and freed with it.
namespace typewarp {

/// What goes to one rank: `count` items of a plan.
struct SendPart {
  const void* buffer;
  std::int64_t count;
  Plan plan;
};
/// What comes from one rank, of the same signature as what that rank sends. A message may not be longer.
struct RecvPart {
  void* buffer;
  std::int64_t count;
  Plan plan;
};

/// `sends[r]` goes to rank r, `receives[r]` comes from it. Throws InvalidArgument for another number of parts
/// than there are ranks, for what is wrong with "sends[i].count" and the like, and for an intercommunicator;
/// GpuError where the GPU cannot say what the stream holds. Nothing has started then. Of what fails on the
/// way, the first error when all messages have ended. What a rank of the Session cannot send fails at its
/// receiver, too: later exchanges on the communicator are as good as before.
void alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives, MPI_Comm comm,
               Stream stream = {});
/// Cannot be cancelled: dropping the request completes it.
[[nodiscard]] Request ialltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                                 MPI_Comm comm, Stream stream = {});

/// The same with the neighbours in a communicator with a topology, in MPI's order: in a Cartesian one, down
/// and up each dimension, where what is sent down arrives as from above, also if both are the same rank;
/// in a graph, as the edges were given. Throws InvalidArgument where there is no topology.
void neighbor_alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives, MPI_Comm comm,
                        Stream stream = {});
[[nodiscard]] Request ineighbor_alltoallw(std::span<const SendPart> sends, std::span<const RecvPart> receives,
                                          MPI_Comm comm, Stream stream = {});

}  // namespace typewarp
