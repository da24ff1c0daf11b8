// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Requests of messages for C programs: request.hpp and completion.hpp have the details.
//
// The caller owns a request until it has completed: a call that completes it, or finds that it has
// failed, frees it and stores null in its place, as MPI does. A persistent request stays, inactive, until
// tw_request_free(). Null is an inactive request: complete, with an empty status. A request belongs to one
// thread at a time; different ones may be used at once if the MPI granted MPI_THREAD_MULTIPLE.

#include <typewarp/plan.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An operation in flight, or a persistent one (typewarp::Request).
typedef struct tw_request tw_request;

/// What a completed operation moved (typewarp::Status). Pointers to it may be null in all calls.
typedef struct tw_status {
  int source, tag;
  int64_t bytes;
  int cancelled;
} tw_status;

/// Whole items received, and basic elements; MPI_UNDEFINED if the bytes end inside one.
tw_result tw_status_count(const tw_status* status, const tw_plan* plan, int64_t* count);
tw_result tw_status_elements(const tw_status* status, const tw_plan* plan, int64_t* elements);

/// Blocks until complete.
tw_result tw_request_wait(tw_request** request, tw_status* status);
/// `complete`: 1, or 0; then nothing is stored in `status`.
tw_result tw_request_test(tw_request** request, int* complete, tw_status* status);
/// Makes progress; `ready`: whether tw_request_wait() would return or fail immediately.
tw_result tw_request_ready(tw_request* request, int* ready);
/// Ends a receive that no message has matched yet, and a send if the MPI cancels it. The request stays.
tw_result tw_request_cancel(tw_request* request);
/// Starts a persistent request, which must be inactive.
tw_result tw_request_start(tw_request* request);
/// Starts `count` of them, receives first.
tw_result tw_start_all(int count, tw_request* const* requests);
/// If the request is active, cancels a receive that no message has matched yet, and otherwise completes it.
void tw_request_free(tw_request* request);

// `count` requests at once. Those that complete or fail become null, unless they are persistent.
// `statuses`, an array with one entry per request, may be null.

/// Returns the error of the first that failed, when all have ended; `statuses` is then left as it was.
tw_result tw_wait_all(int count, tw_request** requests, tw_status* statuses);
tw_result tw_test_all(int count, tw_request** requests, int* complete, tw_status* statuses);
/// `index`: which one; -1 if none is active.
tw_result tw_wait_any(int count, tw_request** requests, int* index, tw_status* status);
/// The same; -1 if no active one is complete.
tw_result tw_test_any(int count, tw_request** requests, int* index, tw_status* status);
/// How many are `done`, their `indices` and their statuses, in arrays with room for `count`: at
/// least one, unless none is active.
tw_result tw_wait_some(int count, tw_request** requests, int* done, int* indices, tw_status* statuses);
tw_result tw_test_some(int count, tw_request** requests, int* done, int* indices, tw_status* statuses);

#ifdef __cplusplus
}
#endif
