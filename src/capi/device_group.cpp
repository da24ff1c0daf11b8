// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/device_group.h>

#include "capi/arguments.hpp"

#include <typewarp/device_group.hpp>

using namespace typewarp;
using namespace typewarp::capi;

static_assert(DeviceGroupOptions().device == TW_CURRENT_DEVICE);
// Programs allocate them: if one grows, raise TYPEWARP_ABI_VERSION.
static_assert(sizeof(tw_device_group_options) == 16);

struct tw_device_group {
  static constexpr const char* name = "group";
  DeviceGroup value;
};

namespace {

using Combine = void (DeviceGroup::*)(const void*, void*, std::int64_t, Named, Operation, Stream);

Operation operation_of(const char* call, int operation) {
  return choice(call, "operation", operation, Operation::maxloc);
}

tw_result combine(const char* call, tw_device_group* group, Combine how, const void* in, void* out,
                  std::int64_t count, int type, int operation, tw_stream stream) noexcept {
  return on(call, group, [&](DeviceGroup& made) {
    (made.*how)(in, out, count, named_of(call, "type", type), operation_of(call, operation), Stream(stream));
  });
}

}  // namespace

tw_result tw_device_group_create(const tw_ranks* ranks, const tw_device_group_options* options,
                                 tw_device_group** group) {
  return create(__func__, group, [&](const char* call) {
    DeviceGroupOptions chosen;
    if (options != nullptr) chosen = {options->device, std::chrono::milliseconds(options->time_limit)};
    return DeviceGroup(value_of(call, ranks), chosen);
  });
}

void tw_device_group_free(tw_device_group* group) { delete group; }

tw_result tw_allreduce(tw_device_group* group, const void* in, void* out, int64_t count, int type,
                       int operation, tw_stream stream) {
  return combine(__func__, group, &DeviceGroup::allreduce, in, out, count, type, operation, stream);
}

tw_result tw_reduce(tw_device_group* group, const void* in, void* out, int64_t count, int type, int operation,
                    int root, tw_stream stream) {
  constexpr const char* call = "tw_reduce";
  return on(call, group, [&](DeviceGroup& made) {
    made.reduce(in, out, count, named_of(call, "type", type), operation_of(call, operation), root,
                Stream(stream));
  });
}

tw_result tw_reduce_scatter(tw_device_group* group, const void* in, void* out, const int64_t* counts,
                            int type, int operation, tw_stream stream) {
  constexpr const char* call = "tw_reduce_scatter";
  return on(call, group, [&](DeviceGroup& made) {
    require(counts, call, "counts");
    made.reduce_scatter(in, out, {counts, static_cast<std::size_t>(made.size())},
                        named_of(call, "type", type), operation_of(call, operation), Stream(stream));
  });
}

tw_result tw_scan(tw_device_group* group, const void* in, void* out, int64_t count, int type, int operation,
                  tw_stream stream) {
  return combine(__func__, group, &DeviceGroup::scan, in, out, count, type, operation, stream);
}

tw_result tw_exscan(tw_device_group* group, const void* in, void* out, int64_t count, int type, int operation,
                    tw_stream stream) {
  return combine(__func__, group, &DeviceGroup::exscan, in, out, count, type, operation, stream);
}

tw_result tw_allgather(tw_device_group* group, const void* in, void* out, int64_t bytes, tw_stream stream) {
  return on(__func__, group, [&](DeviceGroup& made) { made.allgather(in, out, bytes, Stream(stream)); });
}

tw_result tw_allgatherv(tw_device_group* group, const void* in, void* out, const int64_t* bytes,
                        tw_stream stream) {
  constexpr const char* call = "tw_allgatherv";
  return on(call, group, [&](DeviceGroup& made) {
    require(bytes, call, "bytes");
    made.allgatherv(in, out, {bytes, static_cast<std::size_t>(made.size())}, Stream(stream));
  });
}

tw_result tw_alltoall(tw_device_group* group, const void* in, void* out, int64_t bytes, tw_stream stream) {
  return on(__func__, group, [&](DeviceGroup& made) { made.alltoall(in, out, bytes, Stream(stream)); });
}

tw_result tw_broadcast(tw_device_group* group, void* buffer, int64_t bytes, int root, tw_stream stream) {
  return on(__func__, group, [&](DeviceGroup& made) { made.broadcast(buffer, bytes, root, Stream(stream)); });
}

tw_result tw_device_group_register_memory(tw_device_group* group, void* begin, int64_t bytes) {
  return on(__func__, group, [&](DeviceGroup& made) { made.register_memory(begin, bytes); });
}

tw_result tw_device_group_deregister_memory(tw_device_group* group, void* begin) {
  return on(__func__, group, [&](DeviceGroup& made) { made.deregister_memory(begin); });
}

tw_result tw_device_group_done(tw_device_group* group, int* done) {
  return answer(__func__, group, &DeviceGroup::done, done, "done");
}

tw_result tw_device_group_wait(tw_device_group* group) { return on(__func__, group, &DeviceGroup::wait); }
