// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operations that are prepared once and started many times, for C programs (persistent.hpp).

#include <typewarp/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A prepared operation (typewarp::Persistent). Used by one thread at a time.
typedef struct tw_persistent tw_persistent;

/// Runs an operation on the source's device if the source is device memory, else on the destination's.
enum { TW_DEVICE_OF_DATA = -1 };

// Arguments are those of engine.h; `range` null: all. `device`: the one that executes, or TW_DEVICE_OF_DATA.
// The object keeps the plans; the memory is the caller's, and must live until the work on it is done. The
// caller frees `*operation`.

tw_result tw_persistent_pack_init(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                                  const tw_byte_range* range, int device, tw_persistent** operation);
tw_result tw_persistent_unpack_init(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                                    const tw_byte_range* range, int device, tw_persistent** operation);
tw_result tw_persistent_copy_init(const void* source, int64_t source_count, const tw_plan* source_plan,
                                  void* destination, int64_t destination_count,
                                  const tw_plan* destination_plan, const tw_byte_range* range, int device,
                                  tw_persistent** operation);

/// Enqueues the operation on `stream`, after earlier starts. If no device is involved, the bytes are in place
/// when this returns.
tw_result tw_persistent_start(tw_persistent* operation, tw_stream stream);
/// The same between other addresses, which later starts keep.
tw_result tw_persistent_start_at(tw_persistent* operation, const void* source, void* destination,
                                 tw_stream stream);
/// Whether all starts are done; does not wait.
tw_result tw_persistent_done(tw_persistent* operation, int* done);
/// Returns when they are.
tw_result tw_persistent_wait(tw_persistent* operation);
/// Does not wait; the bytes of starts in flight still arrive.
void tw_persistent_free(tw_persistent* operation);

#ifdef __cplusplus
}
#endif
