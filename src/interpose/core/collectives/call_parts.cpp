// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/call_parts.hpp"

#include "interpose/core/buffers/plans.hpp"
#include "layout/node.hpp"

#include <algorithm>

namespace typewarp::interpose {
namespace {

/// Adds the block to those of one call.
void add_block(ObservedData& sum, const ObservedData& block) noexcept {
  const std::int64_t bytes = sum.bytes + block.bytes;
  // None of a block without gaps: several of those are no data with gaps.
  const auto pieces = [](const ObservedData& part) -> std::int64_t {
    if (part.plan == nullptr) return 0;
    const std::int64_t of_item = layout::runs(*part.plan->layout().root);
    const bool dense = of_item == 1 && part.plan->size() == part.plan->extent();
    return dense || part.count * of_item == 1 ? 0 : part.count * of_item;
  };
  const bool fresh = sum.fresh || block.fresh;
  const std::int64_t of_sum = pieces(sum), of_block = pieces(block);
  const std::int64_t others = sum.other_pieces + std::min(of_sum, of_block);
  if (sum.plan == nullptr || of_block > of_sum) sum = block;
  sum.bytes = bytes;
  sum.other_pieces = others;
  sum.fresh = fresh;
}

ObservedData part_of(const CallSide& side) noexcept {
  if (side.is_regular()) return interpose::part_of(side.buffer, side.items(), side.type);
  ObservedData sum;
  const bool has_types = side.placing != CallSide::Placing::in_bytes || side.types != nullptr;
  for (std::size_t i = 0; i < side.size && !side.in_place() && side.counts && has_types; ++i)
    add_block(sum, interpose::part_of(side.buffer, side.count_of(i), side.type_of(i)));
  return sum;
}

ObservedData result_of(const Call& call) noexcept {
  std::int64_t count = call.combining.count;
  if (call.combining.counts) {
    const int rank = call.group->rank;
    count = rank < 0 ? 0 : call.combining.counts[static_cast<std::size_t>(rank)];
  }
  if (call.pattern == CallPattern::reduce && call.root == MPI_PROC_NULL) count = 0;
  return interpose::part_of(call.received.buffer, count, call.received.type);
}

}  // namespace

ObservedData part_of(const void* buffer, std::int64_t count, MPI_Datatype type) noexcept {
  if (count <= 0 || type == MPI_DATATYPE_NULL || buffer == MPI_IN_PLACE) return {};
  const std::int64_t before = plan_counts.planned;
  try {
    const Planned* const planned = planned_of(type);
    if (planned == nullptr) return {};
    return {&planned->plan,
            planned->used,
            buffer,
            count,
            count * planned->plan.size(),
            0,
            plan_counts.planned != before};
  } catch (const std::exception&) {  // what is not told of a call must not end it
    return {};
  }
}

CallParts parts_of(Call& call) noexcept {
  try {
    call.join();
  } catch (const MpiError&) {
    return {};
  }
  if (call.combines()) return {{}, result_of(call)};
  return {part_of(call.sent), part_of(call.received)};
}

}  // namespace typewarp::interpose
