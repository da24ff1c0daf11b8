// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that have come but are not received yet, for programs in C (probe.hpp).

#include <typewarp/p2p.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A message that a probe has taken out of MPI's matching (typewarp::Message): it must be received, by
/// tw_imrecv(), which frees it. Used by one thread at a time.
typedef struct tw_message tw_message;

/// Waits for a message, as long as the time limit of the Session allows.
tw_result tw_probe(int source, int tag, MPI_Comm comm, tw_status* status);
/// `found`: 1 or 0, and then nothing is stored in `status`.
tw_result tw_iprobe(int source, int tag, MPI_Comm comm, int* found, tw_status* status);
/// The same, and takes the message.
tw_result tw_mprobe(int source, int tag, MPI_Comm comm, tw_message** message, tw_status* status);
/// Takes what tw_iprobe() would find; stores null in `message`, and nothing in `status`, if there is none.
tw_result tw_improbe(int source, int tag, MPI_Comm comm, tw_message** message, tw_status* status);
/// As tw_irecv(), of a message that was taken on `comm`. Stores null in `message`; if it fails, the message
/// is still to be received.
tw_result tw_imrecv(void* buffer, int64_t count, const tw_plan* plan, tw_message** message, MPI_Comm comm,
                    tw_stream stream, tw_request** request);

#ifdef __cplusplus
}
#endif
