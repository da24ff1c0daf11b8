// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace typewarp::interpose {

/// How a collective call is made: it blocks, it gives a request, or one that is persistent.
struct Form {
  MPI_Request* request = nullptr;  ///< null: it blocks
  bool is_persistent = false;
  MPI_Info info = MPI_INFO_NULL;  ///< of a persistent one

  bool blocks() const noexcept { return request == nullptr; }
};

}  // namespace typewarp::interpose
