// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/state.hpp"

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace lammps {

/// Collective. The atoms of all ranks on rank 0, none on the others; `x` and `v` have three numbers for each
/// tag.
State gather(const std::vector<double>& x, const std::vector<double>& v,
             const std::vector<std::int64_t>& tags, MPI_Comm comm);

}  // namespace lammps
