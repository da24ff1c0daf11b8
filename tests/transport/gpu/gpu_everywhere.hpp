// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <mpi.h>

namespace typewarp::test {

/// Collective over `comm`: whether every rank has a GPU. A test that needs one skips on all ranks or on none.
inline bool gpu_everywhere(MPI_Comm comm) {
  const int here = gpu_present() ? 1 : 0;
  int everywhere = 0;
  MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, comm);
  return everywhere != 0;
}

}  // namespace typewarp::test
