// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/registered_memory.h>

#include "capi/arguments.hpp"

#include <typewarp/registered_memory.hpp>

using namespace typewarp;
using namespace typewarp::capi;

struct tw_registered_memory {
  static constexpr const char* name = "registered_memory";
  RegisteredMemory value;
};

struct tw_remote_memory {
  static constexpr const char* name = "remote_memory";
  RemoteMemory value;
};

tw_result tw_registered_memory_create(int64_t count, const tw_memory_range* ranges, int signals,
                                      int64_t time_limit_ms, tw_registered_memory** registered_memory) {
  return create(__func__, registered_memory, [&](const char* call) {
    const auto all = each_of(
        call, "count", count, ranges, "ranges",
        [](const tw_memory_range& range, std::size_t) { return MemoryRange{range.address, range.bytes}; });
    return RegisteredMemory(all, {signals, std::chrono::milliseconds(time_limit_ms)});
  });
}

tw_result tw_registered_memory_handle(const tw_registered_memory* registered_memory, const void** handle,
                                      int64_t* bytes) {
  const char* const call = __func__;
  return guarded(call, [&] {
    const std::span<const std::byte> told = value_of(call, registered_memory).handle();
    require(handle, call, "handle");
    require(bytes, call, "bytes");
    *handle = told.data();
    *bytes = std::ssize(told);
  });
}

tw_result tw_registered_memory_signal(const tw_registered_memory* registered_memory, int signal,
                                      int64_t* value) {
  const char* const call = __func__;
  return guarded(call, [&] {
    const RegisteredMemory& memory = value_of(call, registered_memory);
    require(value, call, "value");
    *value = memory.signal(signal);
  });
}

tw_result tw_registered_memory_wait(tw_registered_memory* registered_memory, int signal, int64_t value,
                                    tw_stream stream) {
  return on(__func__, registered_memory,
            [&](RegisteredMemory& memory) { memory.wait(signal, value, Stream(stream)); });
}

tw_result tw_registered_memory_wait_on_host(tw_registered_memory* registered_memory, int signal,
                                            int64_t value) {
  return on(__func__, registered_memory, [&](RegisteredMemory& memory) { memory.wait(signal, value); });
}

tw_result tw_registered_memory_end(tw_registered_memory* registered_memory) {
  return on(__func__, registered_memory, &RegisteredMemory::end);
}

void tw_registered_memory_free(tw_registered_memory* registered_memory) { delete registered_memory; }

tw_result tw_remote_memory_create(const void* handle, int64_t bytes, int device,
                                  tw_remote_memory** remote_memory) {
  return create(__func__, remote_memory, [&](const char* call) {
    require(handle, call, "handle");
    if (bytes < 0) throw InvalidArgument(call, "bytes", bytes, "must not be negative");
    return RemoteMemory({static_cast<const std::byte*>(handle), static_cast<std::size_t>(bytes)}, device);
  });
}

tw_result tw_remote_memory_count(const tw_remote_memory* remote_memory, int64_t* count) {
  const char* const call = __func__;
  return guarded(call, [&] {
    const RemoteMemory& memory = value_of(call, remote_memory);
    require(count, call, "count");
    *count = std::ssize(memory.ranges());
  });
}

tw_result tw_remote_memory_range(const tw_remote_memory* remote_memory, int64_t i, tw_memory_range* range) {
  const char* const call = __func__;
  return guarded(call, [&] {
    const std::span<const MemoryRange> all = value_of(call, remote_memory).ranges();
    require(range, call, "range");
    if (i < 0 || i >= std::ssize(all)) {
      throw InvalidArgument(call, "i", i, "must be at least 0 and less than " + std::to_string(all.size()));
    }
    const MemoryRange& found = all[static_cast<std::size_t>(i)];
    *range = {found.address, found.bytes};
  });
}

tw_result tw_remote_memory_check(const tw_remote_memory* remote_memory) {
  return on(__func__, remote_memory, &RemoteMemory::check);
}

tw_result tw_remote_memory_begin(tw_remote_memory* remote_memory, tw_stream stream) {
  return on(__func__, remote_memory, &RemoteMemory::begin, Stream(stream));
}

tw_result tw_remote_memory_finish(tw_remote_memory* remote_memory, tw_stream stream, int signal,
                                  int64_t value) {
  return on(__func__, remote_memory,
            [&](RemoteMemory& memory) { memory.finish(Stream(stream), {signal, value}); });
}

void tw_remote_memory_free(tw_remote_memory* remote_memory) { delete remote_memory; }
