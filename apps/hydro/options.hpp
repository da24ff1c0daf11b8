// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/leave.hpp"
#include "common/shape.hpp"
#include "hydro/by.hpp"

#include <typewarp/engine.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace hydro {

/// What the command line asks for.
struct Options {
  std::optional<apps::Shape> grid;  ///< ranks; absent: chosen by MPI_Dims_create
  apps::Shape size{96, 96};         ///< cells of each rank
  std::int64_t steps = 300;
  std::optional<By> by;                        ///< absent: all that work on the memory
  std::optional<typewarp::MemoryKind> memory;  ///< absent: device if there is a GPU, else host
  bool validate = true;
  std::string picture;  ///< path, ending in .png or .ppm; empty: none
};

/// Reads the command line. Depends on nothing but its arguments, so all ranks come to the same end.
std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv);

}  // namespace hydro
