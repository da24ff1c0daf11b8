// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/machine.hpp"
#include "stencil2d/domain.hpp"
#include "stencil2d/options.hpp"

#include <mpi.h>

namespace stencil2d {

/// What this rank works with, once the options have met the machine.
struct Setup {
  Domain domain;
  apps::Machine machine;
};

/// Collective. Lays the ranks out, then does what use_machine() does. Throws apps::Refusal on all ranks if
/// the grid does not match their number.
Setup set_up(const Options& options, MPI_Comm comm);

}  // namespace stencil2d
