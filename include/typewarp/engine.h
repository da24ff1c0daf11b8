// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Pack, unpack and copy for C programs. engine.hpp documents them: which memory, what `stream` orders, when a
// call waits, what is refused. Any number of threads may call at once.
// Source and destination must not overlap, and a destination must not overlap itself: refused if neither
// has gaps, undefined otherwise.

#include <typewarp/plan.h>
#include <typewarp/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// `buffer` is what the displacements are relative to (null for a type of absolute addresses). `range`: which
/// bytes of the packed stream of `count` items are moved, the first of them at `packed`; null: all.
tw_result tw_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                  const tw_byte_range* range, tw_stream stream);
tw_result tw_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                    const tw_byte_range* range, tw_stream stream);
/// From layout to layout. `range` null: all, and both sides must have the same number of bytes.
tw_result tw_copy(const void* source, int64_t source_count, const tw_plan* source_plan, void* destination,
                  int64_t destination_count, const tw_plan* destination_plan, const tw_byte_range* range,
                  tw_stream stream);

/// typewarp::MemoryKind.
enum { TW_MEMORY_HOST, TW_MEMORY_PINNED, TW_MEMORY_MANAGED, TW_MEMORY_DEVICE };
/// The kind of memory that `pointer` points to, and its device, or -1. `device` may be null.
tw_result tw_pointer_info(const void* pointer, int* kind, int* device);

/// Whether this library was built for GPUs, and whether a usable GPU is present: 1 or 0.
int tw_built_with_gpu(void);
int tw_gpu_present(void);
/// The number of kernels that the library has launched in this process (engine.hpp).
uint64_t tw_kernel_launches(void);

// The host engine alone, for programs that know both sides to be host memory (host.hpp). The bytes are in
// place when a call returns. `range` null: all. `threads`: the most threads that take part; 0: the
// engine chooses.

/// tw_pack() and tw_unpack() for host memory.
tw_result tw_host_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                       const tw_byte_range* range, int threads);
tw_result tw_host_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                         const tw_byte_range* range, int threads);
/// `range` null: both sides must have the same number of bytes.
tw_result tw_host_copy(const void* source, int64_t source_count, const tw_plan* source_plan,
                       void* destination, int64_t destination_count, const tw_plan* destination_plan,
                       const tw_byte_range* range, int threads);

#ifdef __cplusplus
}
#endif
