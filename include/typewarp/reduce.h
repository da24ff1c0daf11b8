// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Combining numbers, for C programs (operation.hpp, reduce.hpp).

#include <typewarp/datatype.h>
#include <typewarp/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Operations that combine numbers: those of MPI with the same names (typewarp::Operation).
enum {
  TW_SUM,
  TW_MIN,
  TW_MAX,
  TW_PROD,
  TW_LAND,
  TW_BAND,
  TW_LOR,
  TW_BOR,
  TW_LXOR,
  TW_BXOR,
  TW_MINLOC,
  TW_MAXLOC,
};

/// Whether `operation` can combine numbers of the named type `type` (datatype.h); 0 also if one is invalid.
int tw_reducible(int type, int operation);

/// inout[i] = in[i] op inout[i] for `count` numbers of the named type `type`, as MPI_Reduce_local.
/// Streams as in engine.h. Any number of threads may call at once.
tw_result tw_reduce_local(const void* in, void* inout, int64_t count, int type, int operation,
                          tw_stream stream);

#ifdef __cplusplus
}
#endif
