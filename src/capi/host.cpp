// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/host.h>

#include "capi/range.hpp"

#include <typewarp/host.hpp>

// NOLINTBEGIN(google-build-using-namespace): this file gives it other names
using namespace typewarp;
using namespace typewarp::capi;
// NOLINTEND(google-build-using-namespace)

tw_result tw_host_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                       const tw_byte_range* range, int threads) {
  constexpr const char* call = "tw_host_pack";
  return guarded(call, [&] {
    const Plan& made = plan_of(call, "plan", plan);
    host::pack(buffer, count, made, packed, range_of(call, range, count, made), threads);
  });
}

tw_result tw_host_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                         const tw_byte_range* range, int threads) {
  constexpr const char* call = "tw_host_unpack";
  return guarded(call, [&] {
    const Plan& made = plan_of(call, "plan", plan);
    host::unpack(packed, buffer, count, made, range_of(call, range, count, made), threads);
  });
}

tw_result tw_host_copy(const void* source, int64_t source_count, const tw_plan* source_plan,
                       void* destination, int64_t destination_count, const tw_plan* destination_plan,
                       const tw_byte_range* range, int threads) {
  constexpr const char* call = "tw_host_copy";
  return guarded(call, [&] {
    const Plan& from = plan_of(call, "source_plan", source_plan);
    const Plan& to = plan_of(call, "destination_plan", destination_plan);
    host::copy(source, source_count, from, destination, destination_count, to,
               range_of(call, range, source_count, from, destination_count, to), threads);
  });
}
