// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Committed datatypes for C programs (plan.hpp).

#include <typewarp/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A committed datatype (typewarp::Plan). Any number of threads may use it at once. Operations, batches,
/// requests and persistent operations keep what they need of it, so it may be freed at any time, even while
/// they are in flight.
typedef struct tw_plan tw_plan;

/// Bytes [begin, end) of the packed stream.
typedef struct tw_byte_range {
  int64_t begin, end;
} tw_byte_range;

/// Prepares a datatype for execution, on any engine. Needs neither GPU nor MPI. The caller frees `*plan`; the
/// datatype may be freed afterwards.
tw_result tw_plan_commit(const tw_datatype* datatype, tw_plan** plan);
/// May be called while operations with it are in flight.
void tw_plan_free(tw_plan* plan);
/// Makes the same plan with one more hint (docs/guide/hints.md) than it has: the key is "avoid",
/// "priority", "max_blocks" or "method", with or without "typewarp_" before it. The caller frees `*hinted`;
/// `plan` does not change, and both share what was prepared for either.
tw_result tw_plan_with_hint(const tw_plan* plan, const char* key, const char* value, tw_plan** hinted);
/// The hints as text, stored as by tw_datatype_to_string(): "avoid=multiprocessors, max_blocks=8", or "none".
tw_result tw_plan_hints(const tw_plan* plan, char* text, int64_t capacity, int64_t* length);
/// Bytes of one packed item, and from one item to the next in the user's buffer. Either pointer may be null.
tw_result tw_plan_get(const tw_plan* plan, int64_t* size, int64_t* extent);
/// The layout as text, stored as by tw_datatype_to_string().
tw_result tw_plan_to_string(const tw_plan* plan, char* text, int64_t capacity, int64_t* length);

#ifdef __cplusplus
}
#endif
