// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

namespace typewarp::transport {

/// Who sends to a rank and whom it sends to, in MPI's order. Ranks may be MPI_PROC_NULL, and may repeat: the
/// tags then say which message is which.
struct Neighbours {
  struct Edge {
    int rank;
    int tag;
  };
  std::vector<Edge> sources, destinations;
};

/// All ranks, for an exchange of each with each.
Neighbours everybody(MPI_Comm comm);
/// Those in the topology of `comm`, none if it has none. Throws MpiError.
Neighbours in_topology(MPI_Comm comm);
/// How many tags both of these use, from 0: the same on all ranks of `comm`. Throws MpiError.
int tags_on(MPI_Comm comm);

}  // namespace typewarp::transport
