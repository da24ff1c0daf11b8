// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which processes make an exchange (exchange.h), for programs in C: ranks.hpp says what holds. Over an MPI:
// mpi_ranks.h.

#include <typewarp/result.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Processes that make exchanges together (typewarp::Ranks). Used by one thread at a time.
typedef struct tw_ranks tw_ranks;

/// Collective: stores at `all` the `bytes` bytes that each rank gives, rank after rank, and returns 0; all
/// give equally many. Any other value fails the call that it is made in. `argument` is what tw_ranks_create()
/// was given.
typedef int (*tw_all_gather)(const void* own, int64_t bytes, void* all, void* argument);

/// Rank `rank` of `size`, which meet by `all_gather`: where an exchange is made, rebound and freed, by all
/// ranks in one order, never by a start. A peer of -1 is nobody. Nothing carries parts that cannot go from
/// GPU to GPU. `argument` must live as long as the exchanges. The caller frees `*ranks`.
tw_result tw_ranks_create(int rank, int size, tw_all_gather all_gather, void* argument, tw_ranks** ranks);
/// Exchanges that were made keep what they need.
void tw_ranks_free(tw_ranks* ranks);

#ifdef __cplusplus
}
#endif
