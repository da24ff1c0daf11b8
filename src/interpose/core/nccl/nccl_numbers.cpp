// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl_numbers.hpp"

#include "mpi/named.hpp"
#include "plan/arithmetic.hpp"

#include <concepts>
#include <cstdint>

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

}  // namespace

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

}  // namespace typewarp::interpose::nccl
