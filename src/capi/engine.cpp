// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/engine.h>

#include "capi/range.hpp"

#include <typewarp/counters.hpp>
#include <typewarp/engine.hpp>

// NOLINTBEGIN(google-build-using-namespace): this file gives it other names
using namespace typewarp;
using namespace typewarp::capi;
// NOLINTEND(google-build-using-namespace)

static_assert(is(MemoryKind::host, TW_MEMORY_HOST) && is(MemoryKind::pinned, TW_MEMORY_PINNED) &&
              is(MemoryKind::managed, TW_MEMORY_MANAGED) && is(MemoryKind::device, TW_MEMORY_DEVICE));

tw_result tw_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                  const tw_byte_range* range, tw_stream stream) {
  constexpr const char* call = "tw_pack";
  return guarded(call, [&] {
    const Plan& made = plan_of(call, "plan", plan);
    pack(buffer, count, made, packed, range_of(call, range, count, made), Stream(stream));
  });
}

tw_result tw_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                    const tw_byte_range* range, tw_stream stream) {
  constexpr const char* call = "tw_unpack";
  return guarded(call, [&] {
    const Plan& made = plan_of(call, "plan", plan);
    unpack(packed, buffer, count, made, range_of(call, range, count, made), Stream(stream));
  });
}

tw_result tw_copy(const void* source, int64_t source_count, const tw_plan* source_plan, void* destination,
                  int64_t destination_count, const tw_plan* destination_plan, const tw_byte_range* range,
                  tw_stream stream) {
  constexpr const char* call = "tw_copy";
  return guarded(call, [&] {
    const Plan& from = plan_of(call, "source_plan", source_plan);
    const Plan& to = plan_of(call, "destination_plan", destination_plan);
    copy(source, source_count, from, destination, destination_count, to,
         range_of(call, range, source_count, from, destination_count, to), Stream(stream));
  });
}

tw_result tw_pointer_info(const void* pointer, int* kind, int* device) {
  constexpr const char* call = "tw_pointer_info";
  return guarded(call, [&] {
    require(kind, call, "kind");
    const PointerInfo info = pointer_info(pointer);
    *kind = static_cast<int>(info.kind);
    store(info.device, device);
  });
}

int tw_built_with_gpu() { return built_with_gpu() ? 1 : 0; }
int tw_gpu_present() { return gpu_present() ? 1 : 0; }
uint64_t tw_kernel_launches() { return kernel_launches(); }
