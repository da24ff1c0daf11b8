// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Collective calls that compute: numbers as they lie.

#include "interpose/core/nccl/nccl_call.hpp"
#include "interpose/core/nccl/nccl_calls.hpp"
#include "mpi/named.hpp"
#include "plan/arithmetic.hpp"

#include <concepts>

namespace typewarp::interpose::nccl {
namespace {

template <class T>
std::optional<Type> number() noexcept {
  if constexpr (std::same_as<T, std::int8_t>) return Type::int8;
  if constexpr (std::same_as<T, std::uint8_t>) return Type::uint8;
  if constexpr (std::same_as<T, std::int32_t>) return Type::int32;
  if constexpr (std::same_as<T, std::uint32_t>) return Type::uint32;
  if constexpr (std::same_as<T, std::int64_t>) return Type::int64;
  if constexpr (std::same_as<T, std::uint64_t>) return Type::uint64;
  if constexpr (std::same_as<T, float>) return Type::float32;
  if constexpr (std::same_as<T, double>) return Type::float64;
  return std::nullopt;
}

/// What NCCL calls a predefined datatype of numbers, or an operation; nothing if it lacks that.
std::optional<Type> type_of(MPI_Datatype type) {
  std::optional<Type> found;
  const std::optional<Named> named = mpi::named(type);
  if (!named) return found;
  plan::visit_number(*named, [&]<typename T>(T, plan::NumberKind) { found = number<T>(); });
  return found;
}

std::optional<Operation> operation_of(MPI_Op op) noexcept {
  if (op == MPI_SUM) return Operation::sum;
  if (op == MPI_PROD) return Operation::product;
  if (op == MPI_MAX) return Operation::max;
  if (op == MPI_MIN) return Operation::min;
  return std::nullopt;
}

struct Numbers {
  Type type;
  Operation operation;
};

/// Nothing where NCCL has not that.
std::optional<Numbers> numbers(MPI_Datatype type, MPI_Op op) {
  const std::optional<Operation> operation = operation_of(op);
  const std::optional<Type> found = operation ? type_of(type) : std::nullopt;
  return found ? std::optional(Numbers{*found, *operation}) : std::nullopt;
}

}  // namespace

std::optional<int> Allreduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) noexcept {
  const std::int64_t bytes = bytes_of(count, type, 1, Ranks(comm));
  const std::optional<Numbers> of = bytes != 0 ? numbers(type, op) : std::nullopt;
  if (!of) return std::nullopt;
  const auto sides = [&] {
    const std::optional<Side> to = side_of(recvbuf, count, type, comm);
    return both(sendbuf == MPI_IN_PLACE ? to : side_of(sendbuf, count, type, comm), to);
  };
  return make(comm, bytes, sides, [&](const Making& making) {
    making.check(making.api.ncclAllReduce(making.sides.from.first, making.sides.to.first, items(count),
                                          of->type, of->operation, making.handle, making.stream),
                 "ncclAllReduce");
  });
}

std::optional<int> Reduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                          MPI_Op op, int root, MPI_Comm comm) noexcept {
  const Ranks ranks(comm, root);
  const std::int64_t bytes = bytes_of(count, type, 1, ranks);
  const std::optional<Numbers> of = bytes != 0 ? numbers(type, op) : std::nullopt;
  if (!of) return std::nullopt;
  const auto sides = [&] {
    const std::optional<Side> to = ranks.is_root ? side_of(recvbuf, count, type, comm) : std::nullopt;
    if (ranks.is_root && sendbuf == MPI_IN_PLACE) return both(to, to);
    const std::optional<Side> from = side_of(sendbuf, count, type, comm);
    return both(from, ranks.is_root ? to : from);
  };
  return make(comm, bytes, sides, [&](const Making& making) {
    making.check(making.api.ncclReduce(making.sides.from.first, making.sides.to.first, items(count), of->type,
                                       of->operation, root, making.handle, making.stream),
                 "ncclReduce");
  });
}

std::optional<int> Reduce_scatter_block(const void* sendbuf, void* recvbuf, std::int64_t count,
                                        MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept {
  const Ranks ranks(comm);
  const std::int64_t bytes = bytes_of(count, type, ranks.all, ranks);
  const std::optional<Numbers> of = bytes != 0 ? numbers(type, op) : std::nullopt;
  if (!of) return std::nullopt;
  const auto sides = [&]() -> std::optional<Sides> {
    if (sendbuf == MPI_IN_PLACE) return std::nullopt;
    return both(side_of(sendbuf, count * ranks.all, type, comm), side_of(recvbuf, count, type, comm));
  };
  return make(comm, bytes, sides, [&](const Making& making) {
    making.check(making.api.ncclReduceScatter(making.sides.from.first, making.sides.to.first, items(count),
                                              of->type, of->operation, making.handle, making.stream),
                 "ncclReduceScatter");
  });
}

}  // namespace typewarp::interpose::nccl
