// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/machine.hpp"
#include "hacc/block.hpp"
#include "hacc/exercise.hpp"
#include "hacc/options.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace hacc {

/// A way, and what it takes.
struct Row {
  std::string name;
  Seconds seconds;
};

/// What is about to run, and on what.
void print_configuration(const Options& options, const Grid& grid, const apps::Machine& machine);

/// Collective; rank 0 prints. Packing, a line for each rank, as table 4 of 003 has it: microseconds of each
/// way, and the part of the floor's speed at which the last one packs.
void print_packing(const std::vector<Row>& ways, const Seconds& floor, const Block& mine, MPI_Comm comm);

/// Rank 0 prints what all ranks do together, a line for each way.
void print_together(const std::vector<Row>& ways, const Seconds& floor, MPI_Comm comm);

}  // namespace hacc
