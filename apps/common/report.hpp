// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/machine.hpp"

#include <mpi.h>

#include <string>

namespace apps {

/// Name and version of the MPI at run time, for instance "Open MPI v5.0.11" or "MPICH 5.0.2".
std::string mpi_name();

/// One line: memory, ranks of this host, cores, GPUs, MPI.
void print_machine(const Machine& machine);

/// Rank 0 prints the head of a table over the ranks.
void print_spread_head(MPI_Comm comm);
/// Collective; rank 0 prints one line of it: minimum, median and maximum.
void print_spread(const char* label, double mine, const char* format, MPI_Comm comm);

/// Amount per second; 0 if it took no time.
double rate(double amount, double seconds);

}  // namespace apps
