// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/machine.hpp"
#include "lammps/options.hpp"
#include "lammps/times.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace lammps {

/// A way, and what it takes on this rank.
struct Row {
  std::string name;
  Times times;
};

/// What is about to run, and on what.
void print_configuration(const Options& options, const Grid& ranks, const apps::Machine& machine);

/// Collective; rank 0 prints: the phases of each way on the slowest rank, and by how much less time each
/// communicates than the first one.
void print_times(const std::vector<Row>& ways, MPI_Comm comm);

}  // namespace lammps
