// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Many messages between the ranks of a communicator at once, for C programs: collective.hpp has the rules.
// Collective; arrays are read and not kept. If an argument is wrong in one rank, only that rank fails, and
// the others may wait for it.

#include <typewarp/p2p.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is sent to one rank: `count` items of a plan.
typedef struct tw_send_part {
  const void* buffer;
  int64_t count;
  const tw_plan* plan;
} tw_send_part;
/// What is received from one rank.
typedef struct tw_recv_part {
  void* buffer;
  int64_t count;
  const tw_plan* plan;
} tw_recv_part;

/// sends[r] goes to rank r, receives[r] comes from it: one of each for every rank. An array may be
/// null if it has no entries.
tw_result tw_alltoallw(int send_count, const tw_send_part* sends, int recv_count,
                       const tw_recv_part* receives, MPI_Comm comm, tw_stream stream);
/// The request cannot be cancelled.
tw_result tw_ialltoallw(int send_count, const tw_send_part* sends, int recv_count,
                        const tw_recv_part* receives, MPI_Comm comm, tw_stream stream, tw_request** request);
/// The same with the neighbours in a communicator with a topology, in MPI's order.
tw_result tw_neighbor_alltoallw(int send_count, const tw_send_part* sends, int recv_count,
                                const tw_recv_part* receives, MPI_Comm comm, tw_stream stream);
tw_result tw_ineighbor_alltoallw(int send_count, const tw_send_part* sends, int recv_count,
                                 const tw_recv_part* receives, MPI_Comm comm, tw_stream stream,
                                 tw_request** request);

#ifdef __cplusplus
}
#endif
