// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/machine.hpp"
#include "lammps/options.hpp"

namespace lammps {

/// What is about to run, and on what.
void print_configuration(const Options& options, const Grid& ranks, const apps::Machine& machine);

}  // namespace lammps
