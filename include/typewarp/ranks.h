// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The processes that make an exchange (exchange.h), for C programs: ranks.hpp has the rules. With an MPI:
// mpi_ranks.h.

#include <typewarp/result.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Processes that make exchanges together (typewarp::Ranks). Used by one thread at a time.
typedef struct tw_ranks tw_ranks;

/// Collective: stores at `all` the `bytes` bytes that each rank gives, rank after rank, and returns 0. All
/// give the same number. If it returns another value, the call that uses it fails. `argument` is that of
/// tw_ranks_create().
typedef int (*tw_all_gather)(const void* own, int64_t bytes, void* all, void* argument);

/// Rank `rank` of `size`. All ranks call `all_gather` in the same order when an exchange is made, rebound and
/// freed, never in a start. A peer of -1 is nobody. Parts that cannot go from GPU to GPU cannot be moved.
/// `argument` must live as long as the exchanges. The caller frees `*ranks`.
tw_result tw_ranks_create(int rank, int size, tw_all_gather all_gather, void* argument, tw_ranks** ranks);
/// Exchanges that were made keep what they need.
void tw_ranks_free(tw_ranks* ranks);

#ifdef __cplusplus
}
#endif
