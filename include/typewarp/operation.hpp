// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

namespace typewarp {

/// MPI's predefined operations (MPI 5.0, sections 6.9.2 and 6.9.4). Which of two is taken where one is a NaN
/// is not said.
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

/// Whether MPI defines the operation for the type, and numbers of it have up to 64 bits (two times 64 if they
/// are complex or pairs): so not `long double` and what is made of it, and not Fortran's REAL*16 and
/// LOGICAL*16.
bool reducible(Named type, Operation operation) noexcept;

}  // namespace typewarp
