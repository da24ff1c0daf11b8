// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/options.hpp"

#include "common/halo/command_line.hpp"
#include "hydro/gas.hpp"

#include <utility>

namespace hydro {

std::variant<apps::HaloOptions, apps::Leave> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "Gas that explodes in a periodic box that is divided among ranks: Euler's equations by "
      "Godunov's method, after the benchmark Hydro.\n"
      "Each step exchanges ghost cells of eight variables: by the library, and by hand for comparison.\n"
      "All ways must give the same gas to the last bit.",
      "hydro");
  apps::HaloOptions options;
  options.size = {96, 96};
  options.steps = 300;
  apps::add_halo_options(app, options, "the gas is", "the density at the end");
  const auto check = [&] {
    apps::check_size(options.size, ghosts, variables, std::to_string(variables) + " variables");
  };
  if (std::optional<apps::Leave> left = apps::parse(app, argc, argv, check)) return *std::move(left);
  return options;
}

}  // namespace hydro
