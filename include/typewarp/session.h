// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Faster protocols between the ranks of a communicator, for C programs: session.hpp has the rules.

#include <typewarp/result.h>

#include <mpi.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// typewarp::Protocol.
enum {
  TW_PROTOCOL_AUTOMATIC,
  TW_PROTOCOL_EAGER,
  TW_PROTOCOL_PIPELINED,
  TW_PROTOCOL_DIRECT,
  TW_PROTOCOL_GPU_AWARE,
  TW_PROTOCOL_UCX,
};

/// typewarp::SessionOptions, as tw_session_options_default() and tw_session_options_from_environment() fill
/// it in.
typedef struct tw_session_options {
  int64_t eager_bytes, direct_bytes, chunk_bytes, pool_bytes, device_pool_bytes;
  int64_t time_limit;   ///< milliseconds without progress; 0: none
  int protocol;         ///< TW_PROTOCOL_AUTOMATIC, ...
  int progress_thread;  ///< 1 or 0
} tw_session_options;

/// A session (typewarp::Session): a process has at most one at a time.
typedef struct tw_session tw_session;

/// The default values of typewarp::SessionOptions.
tw_result tw_session_options_default(tw_session_options* options);
/// The values of the machine's profile, overridden by the environment variables TYPEWARP_*.
tw_result tw_session_options_from_environment(tw_session_options* options);

/// Collective over `comm`, which is duplicated. `options` null: from the environment. If an argument but
/// `comm` is wrong in one rank, all fail. The caller frees `*session`.
tw_result tw_session_create(MPI_Comm comm, const tw_session_options* options, tw_session** session);
/// Collective, before MPI_Finalize: waits until all ranks are here, within the time limit.
void tw_session_free(tw_session* session);
/// The options in force: the eager limit is that of all ranks.
tw_result tw_session_get_options(const tw_session* session, tw_session_options* options);
/// Whether messages can go by `protocol`.
tw_result tw_session_possible(const tw_session* session, int protocol, int* possible);

/// Makes progress on messages of the session, if there is one, without waiting.
tw_result tw_progress(void);

#ifdef __cplusplus
}
#endif
