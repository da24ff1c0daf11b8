// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// GPUs of several ranks that combine numbers and move bytes in calls that streams order, for C programs:
// device_group.hpp has the rules.

#include <typewarp/ranks.h>
#include <typewarp/reduce.h>
#include <typewarp/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// GPUs of the ranks of one host, one for each (typewarp::DeviceGroup). Used by one thread at a time.
typedef struct tw_device_group tw_device_group;

/// The current device of the calling thread.
enum { TW_CURRENT_DEVICE = -1 };

/// typewarp::DeviceGroupOptions.
typedef struct tw_device_group_options {
  int64_t time_limit;  ///< milliseconds of waiting after which a call fails; 0: it waits for ever
  int device;          ///< of this rank; 0 is the first one, TW_CURRENT_DEVICE that of the thread
} tw_device_group_options;

/// Collective over `ranks`; what is wrong in one rank fails in all, except for `ranks` and `group`. `options`
/// null: no time limit, and the current device. The caller frees `*group`.
tw_result tw_device_group_create(const tw_ranks* ranks, const tw_device_group_options* options,
                                 tw_device_group** group);
/// Collective, before MPI_Finalize: waits for this rank's calls, and until all ranks are here, within the time
/// limit. Graphs that hold calls must not be replayed any more.
void tw_device_group_free(tw_device_group* group);

// Each enqueues a call on `stream`, of `count` numbers of the named type `type` (datatype.h) and an operation
// of reduce.h.

/// All ranks get what the numbers of all make.
tw_result tw_allreduce(tw_device_group* group, const void* in, void* out, int64_t count, int type,
                       int operation, tw_stream stream);
/// Rank `root` gets it; `out` of others is ignored.
tw_result tw_reduce(tw_device_group* group, const void* in, void* out, int64_t count, int type, int operation,
                    int root, tw_stream stream);
/// Rank r gets counts[r] numbers of it: `counts` has one for each rank.
tw_result tw_reduce_scatter(tw_device_group* group, const void* in, void* out, const int64_t* counts, int type,
                            int operation, tw_stream stream);
/// Rank r gets what the numbers of ranks 0 to r make; of exscan those of ranks 0 to r - 1.
tw_result tw_scan(tw_device_group* group, const void* in, void* out, int64_t count, int type, int operation,
                  tw_stream stream);
tw_result tw_exscan(tw_device_group* group, const void* in, void* out, int64_t count, int type, int operation,
                    tw_stream stream);
/// Each rank gives `bytes` bytes, and gets those of all; of allgatherv rank r gives bytes[r]: one for each
/// rank.
tw_result tw_allgather(tw_device_group* group, const void* in, void* out, int64_t bytes, tw_stream stream);
tw_result tw_allgatherv(tw_device_group* group, const void* in, void* out, const int64_t* bytes,
                        tw_stream stream);
/// Block r of `in`, `bytes` bytes, goes to rank r, and block r of `out` comes from it.
tw_result tw_alltoall(tw_device_group* group, const void* in, void* out, int64_t bytes, tw_stream stream);
/// Rank `root` gives all others `bytes` bytes of its buffer.
tw_result tw_broadcast(tw_device_group* group, void* buffer, int64_t bytes, int root, tw_stream stream);

/// Collective: maps `bytes` bytes of each rank's device memory into all ranks, so that long moves store directly
/// into it. The memory must live until it is deregistered or the group is freed; after a call that failed,
/// until peers that were late have ended.
tw_result tw_device_group_register_memory(tw_device_group* group, void* begin, int64_t bytes);
/// Collective: waits for this rank's calls and for all ranks. `begin` as given when it was registered.
tw_result tw_device_group_deregister_memory(tw_device_group* group, void* begin);

/// Whether all calls have ended, except those in graphs; does not wait.
tw_result tw_device_group_done(tw_device_group* group, int* done);
/// Returns when they have.
tw_result tw_device_group_wait(tw_device_group* group);

#ifdef __cplusplus
}
#endif
