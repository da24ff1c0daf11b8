// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/options.hpp"

#include "common/command_line.hpp"

#include <algorithm>
#include <utility>

namespace lammps {
namespace {

constexpr std::int64_t largest_side =
    128;  // atoms of a rank then fit lists of 32 bits, and messages fit an int
constexpr std::int64_t most_steps = 1'000'000'000;
constexpr std::int64_t most_every = 40;  // in more steps many atoms would move farther than lists allow for

constexpr const char* what_moves =
    "what moves atoms between ranks: loops or kernels and the MPI; the MPI, by its datatypes (of GPU memory\n"
    "only with the preload library); the library, by messages, by exchanges, or, of GPU memory of one host,\n"
    "into arrays of the neighbours that it maps (default all that work)";

Grid parse_grid(const std::string& option, const std::string& text, char separator, std::int64_t most,
                bool one_for_all) {
  const std::vector<std::int64_t> numbers =
      apps::parse_numbers(option, text, separator, 3, most, one_for_all);
  return {numbers[0], numbers[1], numbers[2]};
}

Grid parse_cells(const std::string& text) {
  const Grid cells = parse_grid("--cells", text, ',', largest_side, true);
  if (std::ranges::min(cells) < 2) {
    apps::reject("--cells", text,
                 "must be at least 2 along each axis, since ghosts come from the next rank only");
  }
  return cells;
}

}  // namespace

std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "Atoms with a Lennard-Jones potential in a periodic box that is divided among ranks, after the "
      "benchmark\n"
      "of LAMMPS: ghosts and forces go to the next ranks by lists of atoms, and atoms change their rank. By "
      "the\n"
      "library, and by hand for comparison. All ways must give the same positions to the last bit.",
      "lammps");
  Options options;
  app.add_option_function<std::string>(
         "--grid",
         [&](const std::string& text) { options.grid = parse_grid("--grid", text, 'x', 1 << 20, false); },
         "ranks along x, y and z (default: MPI_Dims_create)")
      ->type_name("PxQxR");
  app.add_option_function<std::string>(
         "--cells", [&](const std::string& text) { options.cells = parse_cells(text); },
         "cells of the lattice along x, y and z, of each rank, with four atoms each (default 8)")
      ->type_name("X,Y,Z or SIDE");
  apps::add_number(app, "--steps", options.steps, 0, most_steps, "of 0.005 units of time");
  apps::add_number(app, "--every", options.every, 1, most_every,
                   "steps from one list of neighbours to the next");
  apps::add_number(app, "--seed", options.seed, 0, most_steps, "of the velocities");
  apps::add_choice<std::optional<By>>(app, "--by", options.by,
                                      {{"all", std::nullopt},
                                       {"hand", By::hand},
                                       {"mpi", By::mpi},
                                       {"messages", By::messages},
                                       {"exchange", By::exchange},
                                       {"put", By::put}},
                                      what_moves);
  apps::add_memory(app, options.memory, "atoms are");
  app.add_flag_callback(
      "--no-validate", [&] { options.validate = false; }, "do not compare with a run of one rank");
  apps::add_picture(app, options.picture, "a layer of atoms at the end");
  if (std::optional<apps::Leave> left = apps::parse(app, argc, argv, [] {})) {
    return *std::move(left);
  }
  return options;
}

}  // namespace lammps
