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

/// Collective; rank 0 prints. What each rank does alone, a line for each, as table 4 of 003 has it:
/// microseconds of each way, and those of the library as a multiple of the floor's, if it is among the ways.
void print_alone(const char* what, double Seconds::* value, const std::vector<Row>& ways,
                 const Seconds& floor, const Block& mine, MPI_Comm comm);

/// Collective; rank 0 prints what all ranks do together, under the bytes of all blocks: a line for messages,
/// one for writing the file and one for reading it, with microseconds of each way and of the floor.
void print_together(const std::vector<Row>& ways, const Seconds& floor, const Block& mine, MPI_Comm comm);

}  // namespace hacc
