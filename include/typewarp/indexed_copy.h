// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Copies of items whose places are lists that change with each call, for C programs (indexed_copy.hpp).

#include <typewarp/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/// `count` items of a plan that lie `stride` bytes apart: item i is at `buffer` + i * stride.
typedef struct tw_item_array {
  void* buffer;
  int64_t count;
  int64_t stride;
  const tw_plan* plan;  ///< of one item
} tw_item_array;

/// The k-th item of a call is item values[k], or item k if `values` is null. Values have `bytes` bytes: 4 or
/// 8.
typedef struct tw_index_list {
  const void* values;
  int bytes;
} tw_index_list;

/// typewarp::IndexedCopy. Used by one thread at a time.
typedef struct tw_indexed_copy tw_indexed_copy;

/// `count` pairs of arrays, whose plans are kept, but not the arrays of this call. The memory is the caller's,
/// and must live until the work on it is done. Launches nothing. The caller frees `*indexed_copy`.
tw_result tw_indexed_copy_create(int64_t count, const tw_item_array* source, const tw_item_array* destination,
                                 tw_indexed_copy** indexed_copy);
/// Enqueues the copy of `count` items on `stream`: from[k] of each source to to[k] of its destination.
tw_result tw_indexed_copy_start(tw_indexed_copy* indexed_copy, tw_index_list from, tw_index_list to, int64_t count,
                                tw_stream stream);
/// Fails if a device has found an index out of range. Waits for nothing.
tw_result tw_indexed_copy_check(tw_indexed_copy* indexed_copy);
/// May be called while work is in flight.
void tw_indexed_copy_free(tw_indexed_copy* indexed_copy);

#ifdef __cplusplus
}
#endif
