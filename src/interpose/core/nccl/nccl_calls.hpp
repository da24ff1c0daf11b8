// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/nccl/nccl.hpp"

#include <cstdint>
#include <optional>

/// Blocking collective calls by NCCL, and their codes; nothing where the call is to go on as if there were no
/// NCCL, which all ranks find alike.
namespace typewarp::interpose::nccl {

std::optional<int> Allreduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) noexcept;
std::optional<int> Reduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                          MPI_Op op, int root, MPI_Comm comm) noexcept;
/// In place it is not for NCCL, which would write the result where the block of this rank is.
std::optional<int> Reduce_scatter_block(const void* sendbuf, void* recvbuf, std::int64_t count,
                                        MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept;
std::optional<int> Bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root,
                         MPI_Comm comm) noexcept;
std::optional<int> Allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm) noexcept;

}  // namespace typewarp::interpose::nccl
