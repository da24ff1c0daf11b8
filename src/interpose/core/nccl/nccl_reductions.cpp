// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Collective calls that compute: numbers as they lie.

#include "interpose/core/nccl/nccl_call.hpp"
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

std::optional<RedOp> operation_of(MPI_Op op) noexcept {
  if (op == MPI_SUM) return RedOp::sum;
  if (op == MPI_PROD) return RedOp::product;
  if (op == MPI_MAX) return RedOp::max;
  if (op == MPI_MIN) return RedOp::min;
  return std::nullopt;
}

}  // namespace

std::optional<TypeAndOp> numbers_of(const Call& call) {
  const std::optional<RedOp> operation = operation_of(call.combining.op);
  const std::optional<Type> found = operation ? type_of(call.sent.type) : std::nullopt;
  return found ? std::optional(TypeAndOp{*found, *operation}) : std::nullopt;
}

void enqueue_reduction(const Making& making, const Call& call, const TypeAndOp& numbers) {
  const std::byte* const from = making.sides.from.first;
  std::byte* const to = making.sides.to.first;
  const std::size_t count = items(call.combining.count);
  const auto [type, operation] = numbers;
  if (call.pattern == CallPattern::allreduce)
    return making.check(
        making.api.ncclAllReduce(from, to, count, type, operation, making.handle, making.stream),
        "ncclAllReduce");
  if (call.pattern == CallPattern::reduce)
    return making.check(
        making.api.ncclReduce(from, to, count, type, operation, call.root, making.handle, making.stream),
        "ncclReduce");
  making.check(making.api.ncclReduceScatter(from, to, count, type, operation, making.handle, making.stream),
               "ncclReduceScatter");
}

}  // namespace typewarp::interpose::nccl
