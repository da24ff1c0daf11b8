// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Many pieces that are packed and unpacked together, for C programs (batch.hpp).

#include <typewarp/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/// `count` items of a plan at `buffer`, whose packed bytes begin `place` bytes into the packed buffer.
typedef struct tw_piece {
  void* buffer;
  int64_t count;
  const tw_plan* plan;
  int64_t place;
} tw_piece;

/// Prepared pieces (typewarp::Batch). Used by one thread at a time.
typedef struct tw_batch tw_batch;

/// Keeps the plans, but not the array. The memory is the caller's, and must live until the work on it is
/// done. Launches nothing. `pieces` may be null if `count` is 0, and `packed` if there are no bytes. The
/// caller frees `*batch`.
tw_result tw_batch_create(int64_t count, const tw_piece* pieces, void* packed, tw_batch** batch);
/// Enqueues all pieces on `stream`.
tw_result tw_batch_pack(tw_batch* batch, tw_stream stream);
tw_result tw_batch_unpack(tw_batch* batch, tw_stream stream);
/// May be called while work is in flight.
void tw_batch_free(tw_batch* batch);

// The same for a single use, without an object. Any number of threads may call.

tw_result tw_pack_pieces(int64_t count, const tw_piece* pieces, void* packed, tw_stream stream);
tw_result tw_unpack_pieces(const void* packed, int64_t count, const tw_piece* pieces, tw_stream stream);

#ifdef __cplusplus
}
#endif
