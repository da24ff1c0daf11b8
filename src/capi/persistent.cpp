// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/persistent.h>

#include "capi/arguments.hpp"

#include <typewarp/persistent.hpp>

using namespace typewarp;
using namespace typewarp::capi;

static_assert(Persistent::device_of_data == TW_DEVICE_OF_DATA);

struct tw_persistent {
  static constexpr const char* name = "operation";
  Persistent value;
};

tw_result tw_persistent_pack_init(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                                  const tw_byte_range* range, int device, tw_persistent** operation) {
  return create(__func__, operation, [&](const char* call) {
    const Plan& made = value_of(call, plan);
    return Persistent::pack_init(buffer, count, made, packed, range_of(call, range, count, made), device);
  });
}

tw_result tw_persistent_unpack_init(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                                    const tw_byte_range* range, int device, tw_persistent** operation) {
  return create(__func__, operation, [&](const char* call) {
    const Plan& made = value_of(call, plan);
    return Persistent::unpack_init(packed, buffer, count, made, range_of(call, range, count, made), device);
  });
}

tw_result tw_persistent_copy_init(const void* source, int64_t source_count, const tw_plan* source_plan,
                                  void* destination, int64_t destination_count,
                                  const tw_plan* destination_plan, const tw_byte_range* range, int device,
                                  tw_persistent** operation) {
  return create(__func__, operation, [&](const char* call) {
    const Plan& from = value_of(call, source_plan, "source_plan");
    const Plan& to = value_of(call, destination_plan, "destination_plan");
    return Persistent::copy_init(source, source_count, from, destination, destination_count, to,
                                 range_of(call, range, source_count, from, destination_count, to), device);
  });
}

tw_result tw_persistent_start(tw_persistent* operation, tw_stream stream) {
  return on(__func__, operation, [&](Persistent& made) { made.start(Stream(stream)); });
}

tw_result tw_persistent_start_at(tw_persistent* operation, const void* source, void* destination,
                                 tw_stream stream) {
  return on(__func__, operation, [&](Persistent& made) { made.start(source, destination, Stream(stream)); });
}

tw_result tw_persistent_done(tw_persistent* operation, int* done) {
  return answer(__func__, operation, &Persistent::done, done, "done");
}

tw_result tw_persistent_wait(tw_persistent* operation) { return on(__func__, operation, &Persistent::wait); }

void tw_persistent_free(tw_persistent* operation) { delete operation; }
