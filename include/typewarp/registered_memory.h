// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory of GPUs that other processes of the host read and write, for C programs (registered_memory.hpp).

#include <typewarp/result.h>
#include <typewarp/stream.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// `bytes` bytes from `address` on.
typedef struct tw_memory_range {
  void* address;
  int64_t bytes;
} tw_memory_range;

/// typewarp::RegisteredMemory. Used by one thread at a time.
typedef struct tw_registered_memory tw_registered_memory;

/// `count` ranges, whose array is not kept. The memory is the caller's, and must live until
/// tw_registered_memory_end() has succeeded. `time_limit_ms` 0: waits have none. The caller frees
/// `*registered_memory`.
tw_result tw_registered_memory_create(int64_t count, const tw_memory_range* ranges, int signals,
                                      int64_t time_limit_ms, tw_registered_memory** registered_memory);
/// `*handle` points to `*bytes` plain bytes, which live as long as the object.
tw_result tw_registered_memory_handle(const tw_registered_memory* registered_memory, const void** handle,
                                      int64_t* bytes);
tw_result tw_registered_memory_signal(const tw_registered_memory* registered_memory, int signal,
                                      int64_t* value);
/// `stream` waits until the signal is at least `value`; the call does not.
tw_result tw_registered_memory_wait(tw_registered_memory* registered_memory, int signal, int64_t value,
                                    tw_stream stream);
tw_result tw_registered_memory_wait_on_host(tw_registered_memory* registered_memory, int signal,
                                            int64_t value);
tw_result tw_registered_memory_end(tw_registered_memory* registered_memory);
/// Calls tw_registered_memory_end().
void tw_registered_memory_free(tw_registered_memory* registered_memory);

/// typewarp::RemoteMemory. Used by one thread at a time.
typedef struct tw_remote_memory tw_remote_memory;

/// Of the `bytes` bytes of a handle, for use by `device`; -1: the current one. The caller frees
/// `*remote_memory`, after all use of the ranges.
tw_result tw_remote_memory_create(const void* handle, int64_t bytes, int device,
                                  tw_remote_memory** remote_memory);
/// How many ranges there are.
tw_result tw_remote_memory_count(const tw_remote_memory* remote_memory, int64_t* count);
/// Range `i`, which may be used as long as the object lives.
tw_result tw_remote_memory_range(const tw_remote_memory* remote_memory, int64_t i, tw_memory_range* range);
/// Fails if the memory has been ended, or its process has.
tw_result tw_remote_memory_check(const tw_remote_memory* remote_memory);
/// Before work on the ranges is enqueued on `stream`, and after it. `signal` -1: none.
tw_result tw_remote_memory_begin(tw_remote_memory* remote_memory, tw_stream stream);
tw_result tw_remote_memory_finish(tw_remote_memory* remote_memory, tw_stream stream, int signal,
                                  int64_t value);
/// Waits for the work on it.
void tw_remote_memory_free(tw_remote_memory* remote_memory);

#ifdef __cplusplus
}
#endif
