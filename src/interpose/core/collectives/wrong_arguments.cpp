// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/paths.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <exception>
#include <ranges>

namespace typewarp::interpose {
namespace {

bool is_a_root(const Group& group, int root) noexcept {
  if (!group.between_groups) return root >= 0 && static_cast<std::size_t>(root) < group.size;
  if (root == MPI_ROOT || root == MPI_PROC_NULL) return true;
  return root >= 0 && static_cast<std::size_t>(root) < group.receives;
}

/// Sides in place and missing arrays are checked elsewhere.
bool is_wrong(const CallSide& side) noexcept {
  if (side.size == 0 || !side.is_given()) return false;
  const std::size_t different = side.is_regular() ? 1 : side.size;
  return std::ranges::any_of(std::views::iota(std::size_t{0}, different), [&](std::size_t i) {
    const std::int64_t count = side.count_of(i);
    return count < 0 || (count > 0 && side.type_of(i) == MPI_DATATYPE_NULL);
  });
}

bool is_wrong(const Combining& combining, const Group& group) noexcept {
  if (combining.op == MPI_OP_NULL) return true;
  const std::size_t different = combining.counts ? group.size : 1;
  return std::ranges::any_of(std::views::iota(std::size_t{0}, different),
                             [&](std::size_t i) { return combining.count_of(i) < 0; });
}

}  // namespace

bool has_wrong_argument(Call& call) noexcept {
  if (call.pattern == CallPattern::reduce_local) return is_wrong(call.combining, Group{});
  try {
    call.join();
    const Group& group = call.members();
    if (!group.is_known || (call.has_root() && !is_a_root(group, call.root))) return true;
    if (call.combines() && is_wrong(call.combining, group)) return true;
    return is_wrong(call.sent) || is_wrong(call.received);
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace typewarp::interpose
