// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

namespace typewarp {

/// MPI's predefined operations (MPI 5.0, sections 6.9.2 and 6.9.4). If one of two numbers is a NaN, it is not
/// specified which one MPI_MIN and the like return.
enum class Operation : std::uint8_t {
  sum,
  min,
  max,
  prod,
  land,
  band,
  lor,
  bor,
  lxor,
  bxor,
  minloc,
  maxloc,
};

/// "MPI_SUM", "MPI_MAXLOC", ...
std::string_view name(Operation) noexcept;

/// Whether MPI defines the operation for the type, and its numbers have at most 64 bits (twice 64 if they
/// are complex or pairs). That excludes `long double` and types made of it, and Fortran's REAL*16 and
/// LOGICAL*16.
bool reducible(Named type, Operation operation) noexcept;

}  // namespace typewarp
