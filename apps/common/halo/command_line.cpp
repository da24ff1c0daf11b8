// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/command_line.hpp"

#include <algorithm>
#include <limits>

namespace apps {
namespace {

constexpr std::int64_t largest_side = 1 << 26;
constexpr std::int64_t most_steps = 1'000'000'000;

constexpr const char* what_exchanges =
    "what exchanges ghost cells: pack loops or kernels and the MPI; the MPI, by its datatypes (of GPU memory "
    "only with the preload library); or the library's halo layer (default all that work)";

}  // namespace

void add_halo_options(CLI::App& app, HaloOptions& options, const std::string& what,
                      const std::string& drawn) {
  add_shapes(app, options.grid, options.size, "cells", largest_side);
  add_number(app, "--steps", options.steps, 0, most_steps, "of time");
  add_choice<std::optional<By>>(
      app, "--by", options.by,
      {{"all", std::nullopt}, {"hand", By::hand}, {"mpi", By::mpi}, {"typewarp", By::typewarp}},
      what_exchanges);
  add_memory(app, options.memory, what);
  app.add_flag_callback(
      "--no-validate", [&options] { options.validate = false; }, "do not compare with a run of one rank");
  add_picture(app, options.picture, drawn);
}

void check_size(const Shape& size, std::int64_t ghosts, std::int64_t planes, const std::string& cause) {
  const std::string asked = std::to_string(size.rows) + "," + std::to_string(size.columns);
  if (std::min(size.rows, size.columns) < ghosts) {
    reject("--size", asked,
           "must be at least " + std::to_string(ghosts) +
               " in both directions, since ghosts come from the next rank only");
  }
  const std::int64_t most = std::numeric_limits<int>::max() / (ghosts * planes) - 2 * ghosts;
  if (std::max(size.rows, size.columns) > most) {
    reject("--size", asked,
           "must be at most " + std::to_string(most) + " in both directions with " + cause +
               ", so that messages fit an int");
  }
}

}  // namespace apps
