// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/call_parts.hpp"

#include "interpose/core/buffers/parts.hpp"

#include <typewarp/mpi.hpp>

namespace typewarp::interpose {
namespace {

Part part_of(const Blocks& side) noexcept {
  if (side.is_regular()) return interpose::part_of(side.buffer, side.items(), side.type);
  Part sum;
  const bool has_types = side.placing != Blocks::Placing::in_bytes || side.types != nullptr;
  for (std::size_t i = 0; i < side.size && !side.in_place() && side.counts && has_types; ++i)
    add_block(sum, interpose::part_of(side.buffer, side.count_of(i), side.type_of(i)));
  return sum;
}

Part result_of(const Call& call) noexcept {
  std::int64_t count = call.combining.count;
  if (call.combining.counts) {
    const int rank = call.group->rank;
    count = rank < 0 ? 0 : call.combining.counts[static_cast<std::size_t>(rank)];
  }
  if (call.pattern == CallPattern::reduce && call.root == MPI_PROC_NULL) count = 0;
  return interpose::part_of(call.received.buffer, count, call.received.type);
}

}  // namespace

CallParts parts_of(Call call) noexcept {
  try {
    call.join();
  } catch (const MpiError&) {
    return {};
  }
  if (call.combines()) return {{}, result_of(call)};
  return {part_of(call.sent), part_of(call.received)};
}

}  // namespace typewarp::interpose
