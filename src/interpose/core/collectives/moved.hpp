// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/function_ref.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

/// Blocking collective calls that move data, with messages of ours for their blocks, from where each lies to
/// where it belongs: where all ranks of one group have this library, one has memory in the call that is ours,
/// and blocks are long enough. Each returns the call's code; nothing where it is to be made otherwise, which
/// all ranks find alike.
namespace typewarp::interpose::moved {

/// Where the items of a block lie among those of all: from the buffer on, in the datatype's extents.
struct Place {
  std::int64_t count;
  std::int64_t displacement;
};
/// Of each rank.
using Places = FunctionRef<Place(int)>;

/// What arrays of a call say. Without them no block is valid.
template <class Count, class Displacement>
auto places(const Count* counts, const Displacement* displacements) noexcept {
  return [=](int rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (counts == nullptr || displacements == nullptr) return Place{-1, 0};
    return Place{counts[i], displacements[i]};
  };
}

std::optional<int> Bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root,
                         MPI_Comm comm) noexcept;
std::optional<int> Gather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                          std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept;
std::optional<int> Scatter(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept;
std::optional<int> Allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm) noexcept;
std::optional<int> Alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) noexcept;

std::optional<int> gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           Places received, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept;
std::optional<int> scatterv(const void* sendbuf, Places sent, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept;
std::optional<int> allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                              void* recvbuf, Places received, MPI_Datatype recvtype, MPI_Comm comm) noexcept;

template <class Count, class Displacement>
std::optional<int> Gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,
                           int root, MPI_Comm comm) noexcept {
  const auto received = places(recvcounts, displs);
  return gatherv(sendbuf, sendcount, sendtype, recvbuf, received, recvtype, root, comm);
}
template <class Count, class Displacement>
std::optional<int> Scatterv(const void* sendbuf, const Count* sendcounts, const Displacement* displs,
                            MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
                            MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  const auto sent = places(sendcounts, displs);
  return scatterv(sendbuf, sent, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
template <class Count, class Displacement>
std::optional<int> Allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                              void* recvbuf, const Count* recvcounts, const Displacement* displs,
                              MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  const auto received = places(recvcounts, displs);
  return allgatherv(sendbuf, sendcount, sendtype, recvbuf, received, recvtype, comm);
}

}  // namespace typewarp::interpose::moved
