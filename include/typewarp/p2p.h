// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Point-to-point messages and probes for C programs: p2p.hpp has the rules for memory, streams, matching, errors and
// threads. Receives accept MPI_ANY_SOURCE and MPI_ANY_TAG, all calls accept MPI_PROC_NULL. A plan may be
// freed when a call returns; a buffer must live until the message is complete.

#include <typewarp/request.h>
#include <typewarp/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns when the buffer may be written.
tw_result tw_send(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                  MPI_Comm comm, tw_stream stream);
/// Complete only when a receive has matched it.
tw_result tw_ssend(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                   MPI_Comm comm, tw_stream stream);
/// Returns when the bytes are in place. `status` may be null.
tw_result tw_recv(void* buffer, int64_t count, const tw_plan* plan, int source, int tag, MPI_Comm comm,
                  tw_stream stream, tw_status* status);
/// Both at once; the buffers must not overlap.
tw_result tw_sendrecv(const void* send_buffer, int64_t send_count, const tw_plan* send_plan, int destination,
                      int send_tag, void* recv_buffer, int64_t recv_count, const tw_plan* recv_plan,
                      int source, int recv_tag, MPI_Comm comm, tw_stream stream, tw_status* status);

/// The same without waiting. The call that completes `*request` frees it (request.h).
tw_result tw_isend(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                   MPI_Comm comm, tw_stream stream, tw_request** request);
tw_result tw_issend(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                    MPI_Comm comm, tw_stream stream, tw_request** request);
tw_result tw_irecv(void* buffer, int64_t count, const tw_plan* plan, int source, int tag, MPI_Comm comm,
                   tw_stream stream, tw_request** request);

// Persistent requests: tw_request_start() starts them, after the work that `stream` holds then. Stream,
// communicator and buffer must live as long.

tw_result tw_send_init(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                       MPI_Comm comm, tw_stream stream, tw_request** request);
tw_result tw_ssend_init(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                        MPI_Comm comm, tw_stream stream, tw_request** request);
tw_result tw_recv_init(void* buffer, int64_t count, const tw_plan* plan, int source, int tag, MPI_Comm comm,
                       tw_stream stream, tw_request** request);

// Probes: messages that have arrived but are not received yet (probe.hpp).

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
