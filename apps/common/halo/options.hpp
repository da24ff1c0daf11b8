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

}  // namespace apps
