// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/refusal.hpp"

#include <mpi.h>

#include <cstdint>

namespace typewarp::interpose {

/// What a call reads into or writes from.
struct FileData {
  MPI_File file;
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  bool reads;
  bool collective = false;  ///< whether all ranks of the file make it
  bool at_pointer =
      false;  ///< of a call that may go in pieces: whether it is where the rank's own pointer is
};

}  // namespace typewarp::interpose
