// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Pack, unpack and copy for programs in C. engine.hpp says what they do: which memory, what is ordered by
// `stream`, when a call waits, what is refused. Any number of threads may call at once.
// Source and destination must not overlap, and what is written must not overlap itself: refused where neither
// has gaps, undefined elsewhere.

#include <typewarp/plan.h>
#include <typewarp/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// `buffer` is what the displacements are relative to (null for a type of absolute addresses). `range`: which
/// bytes of the packed stream of `count` items move, the first of them being at `packed`; null: all.
tw_result tw_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                  const tw_byte_range* range, tw_stream stream);
tw_result tw_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                    const tw_byte_range* range, tw_stream stream);
/// From layout to layout. `range` null: all, and both sides must hold equally many bytes.
tw_result tw_copy(const void* source, int64_t source_count, const tw_plan* source_plan, void* destination,
                  int64_t destination_count, const tw_plan* destination_plan, const tw_byte_range* range,
                  tw_stream stream);

/// typewarp::MemoryKind.
enum { TW_MEMORY_HOST, TW_MEMORY_PINNED, TW_MEMORY_MANAGED, TW_MEMORY_DEVICE };
/// What kind of memory `pointer` points to, and on which device it lives, or -1. `device` may be null.
tw_result tw_pointer_info(const void* pointer, int* kind, int* device);

/// Whether this library was built for GPUs, and whether a usable GPU is present: 1 or 0.
int tw_built_with_gpu(void);
int tw_gpu_present(void);
/// Kernels that the library has launched in this process (counters.hpp).
uint64_t tw_kernel_launches(void);

#ifdef __cplusplus
}
#endif
