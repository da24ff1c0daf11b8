// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/engine.h>
#include <typewarp/reduce.h>

#include "capi/arguments.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/host.hpp>
#include <typewarp/reduce.hpp>

using namespace typewarp;
using namespace typewarp::capi;

static_assert(is(MemoryKind::host, TW_MEMORY_HOST) && is(MemoryKind::pinned, TW_MEMORY_PINNED) &&
              is(MemoryKind::managed, TW_MEMORY_MANAGED) && is(MemoryKind::device, TW_MEMORY_DEVICE));
static_assert(is(Operation::sum, TW_SUM) && is(Operation::max, TW_MAX) && is(Operation::band, TW_BAND) &&
              is(Operation::lxor, TW_LXOR) && is(Operation::maxloc, TW_MAXLOC));

tw_result tw_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                  const tw_byte_range* range, tw_stream stream) {
  return guarded(__func__, [&](const char* call) {
    const Plan& made = value_of(call, plan);
    pack(buffer, count, made, packed, range_of(call, range, count, made), Stream(stream));
  });
}

tw_result tw_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                    const tw_byte_range* range, tw_stream stream) {
  return guarded(__func__, [&](const char* call) {
    const Plan& made = value_of(call, plan);
    unpack(packed, buffer, count, made, range_of(call, range, count, made), Stream(stream));
  });
}

tw_result tw_copy(const void* source, int64_t source_count, const tw_plan* source_plan, void* destination,
                  int64_t destination_count, const tw_plan* destination_plan, const tw_byte_range* range,
                  tw_stream stream) {
  return guarded(__func__, [&](const char* call) {
    const Plan& from = value_of(call, source_plan, "source_plan");
    const Plan& to = value_of(call, destination_plan, "destination_plan");
    copy(source, source_count, from, destination, destination_count, to,
         range_of(call, range, source_count, from, destination_count, to), Stream(stream));
  });
}

tw_result tw_pointer_info(const void* pointer, int* kind, int* device) {
  return guarded(__func__, [&](const char* call) {
    require(kind, call, "kind");
    const PointerInfo info = pointer_info(pointer);
    *kind = static_cast<int>(info.kind);
    store(info.device, device);
  });
}

int tw_built_with_gpu() { return built_with_gpu() ? 1 : 0; }
int tw_gpu_present() { return gpu_present() ? 1 : 0; }
uint64_t tw_kernel_launches() { return kernel_launches(); }

tw_result tw_host_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                       const tw_byte_range* range, int threads) {
  return guarded(__func__, [&](const char* call) {
    const Plan& made = value_of(call, plan);
    host::pack(buffer, count, made, packed, range_of(call, range, count, made), threads);
  });
}

tw_result tw_host_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                         const tw_byte_range* range, int threads) {
  return guarded(__func__, [&](const char* call) {
    const Plan& made = value_of(call, plan);
    host::unpack(packed, buffer, count, made, range_of(call, range, count, made), threads);
  });
}

tw_result tw_host_copy(const void* source, int64_t source_count, const tw_plan* source_plan,
                       void* destination, int64_t destination_count, const tw_plan* destination_plan,
                       const tw_byte_range* range, int threads) {
  return guarded(__func__, [&](const char* call) {
    const Plan& from = value_of(call, source_plan, "source_plan");
    const Plan& to = value_of(call, destination_plan, "destination_plan");
    host::copy(source, source_count, from, destination, destination_count, to,
               range_of(call, range, source_count, from, destination_count, to), threads);
  });
}

int tw_reducible(int type, int operation) {
  const bool named = type >= TW_CHAR && type <= TW_2INTEGER && operation >= TW_SUM && operation <= TW_MAXLOC;
  return named && reducible(static_cast<Named>(type), static_cast<Operation>(operation)) ? 1 : 0;
}

tw_result tw_reduce_local(const void* in, void* inout, int64_t count, int type, int operation,
                          tw_stream stream) {
  return guarded(__func__, [&](const char* call) {
    reduce_local(in, inout, count, named_of(call, "type", type),
                 choice(call, "operation", operation, Operation::maxloc), Stream(stream));
  });
}
