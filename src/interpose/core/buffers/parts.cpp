// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/parts.hpp"

namespace typewarp::interpose {

Part part_of(const void* buffer, std::int64_t count, MPI_Datatype type) noexcept {
  if (count <= 0 || type == MPI_DATATYPE_NULL || buffer == MPI_IN_PLACE) return {};
  const std::int64_t before = plan_counts.planned;
  const Planned* const planned = planned_of(type);
  if (planned == nullptr) return {};
  return {&planned->plan,
          planned->used,
          buffer,
          count,
          count * planned->plan.size(),
          0,
          plan_counts.planned != before};
}

}  // namespace typewarp::interpose
