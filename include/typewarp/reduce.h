// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Combining numbers, for C programs (reduce.hpp).

#include <typewarp/datatype.h>
#include <typewarp/operation.h>
#include <typewarp/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// inout[i] = in[i] op inout[i] for `count` numbers of the named type `type`, by an operation of
/// operation.h, as MPI_Reduce_local. Streams as in engine.h. Any number of threads may call at once.
tw_result tw_reduce_local(const void* in, void* inout, int64_t count, int type, int operation,
                          tw_stream stream);

#ifdef __cplusplus
}
#endif
