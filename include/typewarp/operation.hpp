// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

namespace typewarp {

/// MPI_SUM, MPI_MIN and MPI_MAX. Which of two is taken where one is a NaN is not said.
enum class Operation : std::uint8_t { sum, min, max };

/// "MPI_SUM", "MPI_MIN", "MPI_MAX".
std::string_view name(Operation) noexcept;

/// Whether numbers of that type can be combined so: integers and floating-point numbers of up to 64 bits, and
/// sums of complex ones made of these. Not characters, bytes, logicals and pairs.
bool reducible(Named type, Operation operation) noexcept;

}  // namespace typewarp
