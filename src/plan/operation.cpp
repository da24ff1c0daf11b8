// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/operation.hpp>

#include "plan/arithmetic.hpp"

#include <array>

namespace typewarp {

std::string_view name(Operation operation) noexcept {
  constexpr std::array<std::string_view, 12> names{"MPI_SUM",  "MPI_MIN",  "MPI_MAX",    "MPI_PROD",
                                                   "MPI_LAND", "MPI_BAND", "MPI_LOR",    "MPI_BOR",
                                                   "MPI_LXOR", "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC"};
  return names[static_cast<std::size_t>(operation)];
}

namespace {

/// The table of MPI 5.0, section 6.9.2.
bool combines(plan::NumberKind kind, Operation operation) noexcept {
  using plan::NumberKind;
  switch (operation) {
    case Operation::sum:
    case Operation::prod:
      return kind == NumberKind::c_integer || kind == NumberKind::integer || kind == NumberKind::floating ||
             kind == NumberKind::complex;
    case Operation::min:
    case Operation::max:
      return kind == NumberKind::c_integer || kind == NumberKind::integer || kind == NumberKind::floating;
    case Operation::land:
    case Operation::lor:
    case Operation::lxor:
      return kind == NumberKind::c_integer || kind == NumberKind::logical;
    case Operation::band:
    case Operation::bor:
    case Operation::bxor:
      return kind == NumberKind::c_integer || kind == NumberKind::integer || kind == NumberKind::byte;
    case Operation::minloc:
    case Operation::maxloc:
      return kind == NumberKind::pair;
  }
  return false;
}

}  // namespace

bool reducible(Named type, Operation operation) noexcept {
  bool found = false;
  plan::visit_number(type, [&](auto, plan::NumberKind kind) { found = combines(kind, operation); });
  return found;
}

}  // namespace typewarp
