// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call_blocks.hpp"
#include "interpose/core/collectives/alltoallv.hpp"
#include "interpose/core/job/job.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

/// Collective calls as exchanges with counts of each block: those of which a rank knows its own blocks only,
/// so that each block goes by its own length. All ranks have this library then, and make the same.
namespace typewarp::interpose::neighbor_as_alltoallv {

/// A call that gives a request, with these blocks at this rank. Returns its code. Throws std::bad_alloc.
int each_with_each(MPI_Comm comm, const Ranks& ranks, const CallBlocks& blocks, const Everyone& everyone,
                   const Form& form);

// Among neighbours. Each returns the call's code; nothing where it is to be made otherwise, which all ranks
// find alike.
std::optional<int> Neighbor_allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm, const Form& form) noexcept;
std::optional<int> Neighbor_alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm, const Form& form) noexcept;

/// The call below for whatever types its arrays have.
std::optional<int> neighbor_allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, Places received, MPI_Datatype recvtype, MPI_Comm comm,
                                       const Form& form) noexcept;
template <class Count, class Displacement>
std::optional<int> Neighbor_allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, const Count* recvcounts, const Displacement* displs,
                                       MPI_Datatype recvtype, MPI_Comm comm, const Form& form) noexcept {
  const auto received = places(recvcounts, displs);
  return neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, received, recvtype, comm, form);
}

}  // namespace typewarp::interpose::neighbor_as_alltoallv
