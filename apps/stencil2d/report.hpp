// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "stencil2d/options.hpp"
#include "stencil2d/phases.hpp"
#include "stencil2d/setup.hpp"

#include <mpi.h>

#include <cstdint>

namespace stencil2d {

/// What is about to run, and on what.
void print_configuration(const Options& options, const Setup& setup);

/// Collective; rank 0 prints. Minimum, median and maximum over the ranks of each phase, and the rates that
/// follow: the points that a rank owns count once per iteration, however wide the halo.
void print_phases(const PhaseTimes& times, const Domain& domain, std::int64_t iterations,
                  std::int64_t bytes_per_exchange, MPI_Comm comm);

}  // namespace stencil2d
