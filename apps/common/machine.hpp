// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <mpi.h>

#include <optional>
#include <string>

namespace apps {

/// What this rank works with.
struct Machine {
  typewarp::MemoryKind memory;
  int gpus;  ///< of this host
  int ranks_on_host;
};

/// Collective. Picks the memory (absent: device if every rank has a GPU, else host), and gives each rank of a
/// host one of its GPUs in turn. Throws Refusal on all ranks if memory is asked for that needs a GPU where
/// there is none, or rank 0 cannot write `picture`, a path or empty.
Machine use_machine(std::optional<typewarp::MemoryKind> memory, const std::string& picture, MPI_Comm comm);

}  // namespace apps
