// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/report.hpp"

#include "common/report.hpp"

#include <cstdio>

namespace lammps {

void print_configuration(const Options& options, const Grid& ranks, const apps::Machine& machine) {
  const auto wide = [](std::int64_t value) { return static_cast<long long>(value); };
  const Grid& cells = options.cells;
  std::printf(
      "Lennard-Jones: %lld atoms on %lld x %lld x %lld ranks, %lld steps, new lists every %lld, seed %lld\n",
      wide(4 * cells[0] * cells[1] * cells[2] * ranks[0] * ranks[1] * ranks[2]), wide(ranks[0]),
      wide(ranks[1]), wide(ranks[2]), wide(options.steps), wide(options.every), wide(options.seed));
  apps::print_machine(machine);
}

}  // namespace lammps
