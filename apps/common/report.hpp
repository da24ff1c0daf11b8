// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/machine.hpp"

#include <mpi.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

/// Name and version of the MPI at run time, for instance "Open MPI v5.0.11" or "MPICH 5.0.2".
std::string mpi_name();

/// One line: memory, ranks of this host, cores, GPUs, MPI.
void print_machine(const Machine& machine);

/// Rank 0 prints the head of a table over the ranks.
void print_spread_head(MPI_Comm comm);
/// Collective; rank 0 prints one line of it: minimum, median and maximum.
void print_spread(const char* label, double mine, const char* format, MPI_Comm comm);

/// What one way to communicate takes on this rank.
struct WayTimes {
  std::string name;
  std::vector<double> seconds;  ///< of each phase
  double communication;         ///< seconds of all that goes between ranks
};
/// Collective; rank 0 prints: the phases of each way on the slowest rank, and by how much less time each
/// communicates than the first one.
void print_ways(std::span<const std::string_view> phases, const std::vector<WayTimes>& ways, MPI_Comm comm);

/// Amount per second; 0 if it took no time.
double rate(double amount, double seconds);

}  // namespace apps
