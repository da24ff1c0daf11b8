// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/range.hpp"

#include "engine/arguments.hpp"

namespace typewarp::capi {

ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t count, const Plan& plan) {
  if (range != nullptr) return {range->begin, range->end};
  return {0, engine::whole_size(call, "count", count, plan)};
}

ByteRange range_of(const char* call, const tw_byte_range* range, std::int64_t source_count,
                   const Plan& source_plan, std::int64_t destination_count, const Plan& destination_plan) {
  if (range != nullptr) return {range->begin, range->end};
  return {0, engine::equal_size(call, source_count, source_plan, destination_count, destination_plan)};
}

}  // namespace typewarp::capi
