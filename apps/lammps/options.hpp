// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/leave.hpp"
#include "lammps/domain.hpp"
#include "lammps/move/by.hpp"

#include <typewarp/engine.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace lammps {

/// What the command line asks for.
struct Options {
  std::optional<Grid> grid;  ///< ranks; absent: chosen by MPI_Dims_create
  Grid cells{8, 8, 8};       ///< of each rank
  std::int64_t steps = 100;
  std::int64_t every = 20;  ///< steps from one list of neighbours to the next
  std::int64_t seed = 1;
  std::optional<By> by;                        ///< absent: all that work on the memory
  std::optional<typewarp::MemoryKind> memory;  ///< absent: device if there is a GPU, else host
  bool validate = true;
  std::string picture;  ///< path, ending in .png or .ppm; empty: none
};

/// Reads the command line. Depends on nothing but its arguments, so all ranks come to the same end.
std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv);

}  // namespace lammps
