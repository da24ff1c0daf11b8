// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Exchanges that are made once and started many times, ordered by streams, for C programs: exchange.hpp has
// the rules. If one rank passes a wrong argument to a collective call, all ranks fail, except for `ranks` and
// `exchange`.

#include <typewarp/plan.h>
#include <typewarp/ranks.h>
#include <typewarp/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An exchange (typewarp::Exchange). Used by one thread at a time.
typedef struct tw_exchange tw_exchange;

/// `count` items of a plan that are sent to a rank, which may be this one, or to nobody.
typedef struct tw_outgoing_part {
  const void* buffer;
  int64_t count;
  const tw_plan* plan;
  int peer;
} tw_outgoing_part;
/// What is received from a rank, with the same signature as what that rank sends.
typedef struct tw_incoming_part {
  void* buffer;
  int64_t count;
  const tw_plan* plan;
  int peer;
} tw_incoming_part;

/// typewarp::DeviceWait.
enum { TW_WAIT_AUTOMATIC, TW_WAIT_MEMORY_OPERATION };

/// Zeros are the defaults (typewarp::ExchangeOptions).
typedef struct tw_exchange_options {
  int64_t time_limit;  ///< milliseconds after which a start fails; 0: it waits for ever
  int wait;            ///< TW_WAIT_AUTOMATIC, ...
} tw_exchange_options;

/// Which way one part goes (typewarp::PartWay).
typedef struct tw_part_way {
  int64_t bytes;  ///< 0 also if the peer is nobody: then nothing is moved
  int peer;
  int direct;  ///< 1: stored by the sender's device in the receiver's memory
  /// Why it is not, the same at both ends; empty if it is, or if nothing is moved. Never freed.
  const char* reason;
} tw_part_way;

/// Collective over `ranks`. The arrays are read and not kept; plans may be freed afterwards. The memory of
/// the parts must live as long as the exchange. Parts between the same two ranks match by their order.
/// `options` null: the defaults. The caller frees `*exchange`.
tw_result tw_exchange_create(const tw_ranks* ranks, int send_count, const tw_outgoing_part* sends,
                             int recv_count, const tw_incoming_part* receives,
                             const tw_exchange_options* options, tw_exchange** exchange);
/// Collective, before MPI_Finalize: waits for this rank's starts, and until all ranks are here, within the
/// time limit. Graphs that hold a start must not be replayed any more.
void tw_exchange_free(tw_exchange* exchange);

/// Enqueues one exchange on `stream`. If no part is on a device, buffers are in use until it is done.
tw_result tw_exchange_start(tw_exchange* exchange, tw_stream stream);
/// The same for parts at byte offsets from their bound addresses (typewarp::PartDisplacements): all
/// sends, and receives from this rank itself.
tw_result tw_exchange_start_displaced(tw_exchange* exchange, int64_t sends, int64_t own_receives,
                                      tw_stream stream);
/// Whether all starts have ended; does not wait.
tw_result tw_exchange_done(tw_exchange* exchange, int* done);
/// Returns when they have.
tw_result tw_exchange_wait(tw_exchange* exchange);
/// Collective: the same parts at other addresses, one for each part, in order.
tw_result tw_exchange_rebind(tw_exchange* exchange, int send_count, const void* const* sends, int recv_count,
                             void* const* receives);

/// The way of one part, by its index in the arrays of tw_exchange_create().
tw_result tw_exchange_way_of_send(const tw_exchange* exchange, int index, tw_part_way* way);
tw_result tw_exchange_way_of_receive(const tw_exchange* exchange, int index, tw_part_way* way);

#ifdef __cplusplus
}
#endif
