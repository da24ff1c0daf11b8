// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/options.hpp"

#include "common/command_line.hpp"
#include "hydro/domain.hpp"

#include <utility>

namespace hydro {
namespace {

constexpr std::int64_t largest_side = 1 << 26;  // the numbers of a message then fit an int
constexpr std::int64_t most_steps = 1'000'000'000;

constexpr const char* what_exchanges =
    "what exchanges ghost cells: pack loops or kernels and the MPI; the MPI, by its datatypes (of GPU "
    "memory\n"
    "only with the preload library); or the library's halo layer (default all that work)";

void check(const Options& options) {
  const auto& [rows, columns] = options.size;
  if (rows < ghosts || columns < ghosts) {
    apps::reject("--size", std::to_string(rows) + "," + std::to_string(columns),
                 "must be at least 2 in both directions, since ghosts come from the next rank only");
  }
}

}  // namespace

std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "Gas that explodes in a periodic box that is divided among ranks: Euler's equations by Godunov's\n"
      "method, after the benchmark Hydro. Ghost cells of eight variables are exchanged in each step: by the\n"
      "library, and by hand for comparison. All ways must give the same gas to the last bit.",
      "hydro");
  Options options;
  apps::add_shapes(app, options.grid, options.size, "cells", largest_side);
  apps::add_number(app, "--steps", options.steps, 0, most_steps, "of time");
  apps::add_choice<std::optional<By>>(
      app, "--by", options.by,
      {{"all", std::nullopt}, {"hand", By::hand}, {"mpi", By::mpi}, {"typewarp", By::typewarp}},
      what_exchanges);
  apps::add_memory(app, options.memory, "the gas is");
  app.add_flag_callback(
      "--no-validate", [&] { options.validate = false; }, "do not compare with a run of one rank");
  apps::add_picture(app, options.picture, "the density at the end");
  if (std::optional<apps::Leave> left = apps::parse(app, argc, argv, [&] { check(options); })) {
    return *std::move(left);
  }
  return options;
}

}  // namespace hydro
