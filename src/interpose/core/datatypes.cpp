// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/core.hpp"
#include "interpose/core/plans.hpp"

namespace typewarp::interpose {
namespace {

int type_commit(MPI_Datatype* datatype) noexcept {
  const int code = next<int(MPI_Datatype*)>(call::Type_commit)(datatype);
  if (code == MPI_SUCCESS) keep_plan(*datatype);
  return code;
}

}  // namespace

void take_datatypes() noexcept { take(call::Type_commit, type_commit); }

}  // namespace typewarp::interpose
