// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/parts.hpp"

#include <exception>

namespace typewarp::interpose {

Part part_of(const void* buffer, std::int64_t count, MPI_Datatype type) noexcept {
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

}  // namespace typewarp::interpose
