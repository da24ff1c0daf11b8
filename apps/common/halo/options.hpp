// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/by.hpp"
#include "common/leave.hpp"
#include "common/shape.hpp"

#include <typewarp/engine.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace apps {

/// What a program whose ranks exchange ghost cells can be asked for.
struct HaloOptions {
  Shape size;                                  ///< cells of each rank, along rows and columns
  std::int64_t steps = 0;                      ///< of time
  std::optional<Shape> grid;                   ///< ranks; absent: chosen by MPI_Dims_create
  std::optional<By> by;                        ///< absent: all that work on the memory
  std::optional<typewarp::MemoryKind> memory;  ///< absent: device if there is a GPU, else host
  bool validate = true;
  std::string picture;  ///< path, ending in .png or .ppm; empty: none
};

/// Adds them to a command line; `options` holds the defaults. `what` is in memory, `drawn` in the picture.
void add_halo_options(CLI::App& app, HaloOptions& options, const std::string& what, const std::string& drawn);

/// Throws what makes parse() leave if a rank owns fewer cells than it has ghosts, or so many that the numbers
/// of a message, of so many planes, do not fit an int.
void check_size(const Shape& size, std::int64_t ghosts, std::int64_t planes);

}  // namespace apps
