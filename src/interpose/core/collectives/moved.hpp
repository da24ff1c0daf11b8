// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call_blocks.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

/// Collective calls that move data, with messages of ours for their blocks, from where each lies to where it
/// belongs: where all ranks of one group have this library, and blocks are long enough. One rank has
/// memory in the call that is ours, of calls that give a request the rank that comes first
/// (agreement.hpp). Each returns the call's code; nothing where it is to be made otherwise, which all
/// ranks find alike if they give as many bytes, as MPI demands. Else some may wait for ever.
namespace typewarp::interpose::moved {

std::optional<int> Bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
                         const Form& form) noexcept;
std::optional<int> Gather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                          std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                          const Form& form) noexcept;
std::optional<int> Scatter(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                           const Form& form) noexcept;
std::optional<int> Allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             const Form& form) noexcept;
std::optional<int> Alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                            const Form& form) noexcept;

// The calls below for whatever types their arrays have.
std::optional<int> gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           Places received, MPI_Datatype recvtype, int root, MPI_Comm comm,
                           const Form& form) noexcept;
std::optional<int> scatterv(const void* sendbuf, Places sent, MPI_Datatype sendtype, void* recvbuf,
                            std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                            const Form& form) noexcept;
std::optional<int> allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                              void* recvbuf, Places received, MPI_Datatype recvtype, MPI_Comm comm,
                              const Form& form) noexcept;

template <class Count, class Displacement>
std::optional<int> Gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype,
                           int root, MPI_Comm comm, const Form& form) noexcept {
  const auto received = places(recvcounts, displs);
  return gatherv(sendbuf, sendcount, sendtype, recvbuf, received, recvtype, root, comm, form);
}
template <class Count, class Displacement>
std::optional<int> Scatterv(const void* sendbuf, const Count* sendcounts, const Displacement* displs,
                            MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
                            MPI_Datatype recvtype, int root, MPI_Comm comm, const Form& form) noexcept {
  const auto sent = places(sendcounts, displs);
  return scatterv(sendbuf, sent, sendtype, recvbuf, recvcount, recvtype, root, comm, form);
}
template <class Count, class Displacement>
std::optional<int> Allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                              void* recvbuf, const Count* recvcounts, const Displacement* displs,
                              MPI_Datatype recvtype, MPI_Comm comm, const Form& form) noexcept {
  const auto received = places(recvcounts, displs);
  return allgatherv(sendbuf, sendcount, sendtype, recvbuf, received, recvtype, comm, form);
}

}  // namespace typewarp::interpose::moved
