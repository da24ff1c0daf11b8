// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// What combines numbers: MPI's operations of the same names (typewarp::Operation).
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

/// Whether numbers of the named type `type` (datatype.h) can be combined so; 0 for what is neither.
int tw_reducible(int type, int operation);

#ifdef __cplusplus
}
#endif
