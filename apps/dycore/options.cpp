// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/options.hpp"

#include "common/halo/command_line.hpp"
#include "dycore/air.hpp"

#include <utility>

namespace dycore {
namespace {

constexpr std::int64_t most_levels = 10'000;

}  // namespace

std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "Warm and cold air in a wind, in a periodic box that is divided among ranks: a small dynamical core "
      "of a weather model.\n"
      "Each step exchanges ghost cells of winds, pressure and temperature three times: by the library, "
      "and by hand for comparison.\n"
      "All ways must give the same air to the last bit.",
      "dycore");
  Options options;
  options.size = {48, 48};
  options.steps = 60;
  apps::add_number(app, "--levels", options.levels, 2, most_levels, "number of vertical levels");
  apps::add_halo_options(app, options, "the air is", "the vertical wind in the middle at the end");
  const auto check = [&] {
    apps::check_size(options.size, ghosts, planes_before(fields, options.levels),
                     "--levels = " + std::to_string(options.levels));
  };
  if (std::optional<apps::Leave> left = apps::parse(app, argc, argv, check)) return *std::move(left);
  return options;
}

}  // namespace dycore
