// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// What combines numbers: MPI_SUM, MPI_MIN and MPI_MAX (typewarp::Operation).
enum { TW_SUM, TW_MIN, TW_MAX };

/// Whether numbers of the named type `type` (datatype.h) can be combined so; 0 for what is neither.
int tw_reducible(int type, int operation);

#ifdef __cplusplus
}
#endif
