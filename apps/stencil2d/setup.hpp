// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "stencil2d/options.hpp"

#include <mpi.h>

namespace stencil2d {

/// What this rank works with, once the options have met the machine.
struct Setup {
  Domain domain;
  typewarp::MemoryKind memory;
  int gpus;  ///< of this host
  int ranks_on_host;
};

/// Collective. Lays the ranks out, picks the memory, and gives each rank of a host one of its GPUs in turn.
/// Throws Refusal on all ranks if the grid does not match their number, memory is asked for that needs a GPU
/// where there is none, or rank 0 cannot write the picture.
Setup set_up(const Options& options, MPI_Comm comm);

}  // namespace stencil2d
