// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/operation.hpp>

#include "plan/arithmetic.hpp"

#include <array>

namespace typewarp {

std::string_view name(Operation operation) noexcept {
  constexpr std::array<std::string_view, 3> names{"MPI_SUM", "MPI_MIN", "MPI_MAX"};
  return names[static_cast<std::size_t>(operation)];
}

bool reducible(Named type, Operation operation) noexcept {
  bool found = false;
  plan::visit_arithmetic(type, [&](auto, int parts) { found = parts == 1 || operation == Operation::sum; });
  return found;
}

}  // namespace typewarp
