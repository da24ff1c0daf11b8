// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that have arrived but are not received yet, for C programs (probe.hpp).

#include <typewarp/p2p.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A message that a probe has taken out of MPI's matching (typewarp::Message). It must be received by
/// tw_imrecv(), which frees it. Used by one thread at a time.
typedef struct tw_message tw_message;

/// Waits for a message, as long as the time limit of the Session allows.
tw_result tw_probe(int source, int tag, MPI_Comm comm, tw_status* status);
/// `found`: 1, or 0 if there is none; then nothing is stored in `status`.
tw_result tw_iprobe(int source, int tag, MPI_Comm comm, int* found, tw_status* status);
/// As tw_probe(), and takes the message.
tw_result tw_mprobe(int source, int tag, MPI_Comm comm, tw_message** message, tw_status* status);
/// Takes the message that tw_iprobe() would find, or stores null in `message` and nothing in `status`.
tw_result tw_improbe(int source, int tag, MPI_Comm comm, tw_message** message, tw_status* status);
/// As tw_irecv(), of a message that was taken on `comm`. Stores null in `message`. If it fails, the message
/// has yet to be received.
tw_result tw_imrecv(void* buffer, int64_t count, const tw_plan* plan, tw_message** message, MPI_Comm comm,
                    tw_stream stream, tw_request** request);

#ifdef __cplusplus
}
#endif
