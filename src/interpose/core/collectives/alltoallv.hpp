// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"
#include "interpose/core/job/job.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// MPI_Alltoallw, MPI_Alltoallv, and their kin among neighbours. All ranks make the MPI's call, which is
/// given packed copies of what is on a device. Where all of them have this library and one may use a GPU, it
/// has the short blocks only, and the long ones are messages of ours: both ends of a block know its bytes,
/// but not each other's memory.
namespace typewarp::interpose::alltoallv {

/// Makes the call; nothing where it is the MPI's as it is.
std::optional<int> make(Call& call) noexcept;

/// Counts and displacements of MPI_Alltoallv or MPI_Neighbor_alltoallv, as which another call is made: one
/// for each rank or neighbour. Of 64 bits whatever the MPI takes, which has the short blocks only.
struct Arrays {
  static constexpr IntArray wide{static_cast<const std::int64_t*>(nullptr)};

  IntList sendcounts{wide}, sdispls{wide}, recvcounts{wide}, rdispls{wide};
};

/// What the first exchange on a communicator does in all ranks, for one in which this rank has no messages,
/// whatever others have. Throws MpiError.
void open(MPI_Comm comm, const Everyone& everyone, const Form& form);

/// Makes `call` so, between the buffers of `from` and `to`, in all ranks alike, which all have this library.
/// Returns the call's code.
int stand_in(const Call& call, const TypedBuffer& from, const TypedBuffer& to,
             std::shared_ptr<const Arrays> arrays, const Everyone& everyone) noexcept;

/// The order in which the MPI must be given the blocks that a nonblocking exchange sends to the neighbours of
/// `comm`, of which there are `sends`, for each to arrive on its side; empty where that is the program's.
/// Throws MpiError.
std::vector<std::size_t> order_of_sends(MPI_Comm comm, std::size_t sends);

}  // namespace typewarp::interpose::alltoallv
