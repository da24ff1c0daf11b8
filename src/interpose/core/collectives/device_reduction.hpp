// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call_blocks.hpp"
#include "interpose/core/function_ref.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

/// Collective calls that compute, where each rank combines its share of the numbers on the device
/// that has them, by MPI's operations on what is reducible(). What is shared goes by messages of
/// ours, as in moved.hpp, with the same results: a code, or nothing where the call is to be made otherwise.
/// All ranks get the same bits, and get them again where they call again, whatever memory is free then: a
/// call that finds no room on its device combines on the host, in the same order.
namespace typewarp::interpose::device_reduction {

std::optional<int> Allreduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm, const Form& form) noexcept;
std::optional<int> Reduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                          MPI_Op op, int root, MPI_Comm comm, const Form& form) noexcept;
std::optional<int> Reduce_scatter_block(const void* sendbuf, void* recvbuf, std::int64_t count,
                                        MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                        const Form& form) noexcept;
/// Within this rank.
std::optional<int> Reduce_local(const void* inbuf, void* inoutbuf, std::int64_t count, MPI_Datatype type,
                                MPI_Op op) noexcept;

/// MPI_Reduce_scatter: `count_of(rank)` numbers of each rank.
std::optional<int> reduce_scatter(const void* sendbuf, void* recvbuf, FunctionRef<std::int64_t(int)> count_of,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Form& form) noexcept;
template <class Count>
std::optional<int> Reduce_scatter(const void* sendbuf, void* recvbuf, const Count* recvcounts,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Form& form) noexcept {
  if (recvcounts == nullptr) return std::nullopt;
  const auto count_of = [=](int rank) { return std::int64_t{recvcounts[static_cast<std::size_t>(rank)]}; };
  return reduce_scatter(sendbuf, recvbuf, count_of, type, op, comm, form);
}

}  // namespace typewarp::interpose::device_reduction
