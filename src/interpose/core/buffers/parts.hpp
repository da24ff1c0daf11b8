// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/observe/sites.hpp"

#include "layout/node.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// What a call sends or receives, as its arguments say.
namespace typewarp::interpose {

/// Nothing of MPI_IN_PLACE.
Part part_of(const void* buffer, std::int64_t count, MPI_Datatype type) noexcept;

/// Adds the block to those of one call.
inline void add_block(Part& sum, const Part& block) noexcept {
  const std::int64_t bytes = sum.bytes + block.bytes;
  // None of a block without gaps: several of those are no data with gaps.
  const auto pieces = [](const Part& part) -> std::int64_t {
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

}  // namespace typewarp::interpose
