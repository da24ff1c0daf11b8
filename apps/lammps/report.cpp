// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/report.hpp"

#include "common/report.hpp"

#include <cstdio>
#include <string_view>

namespace lammps {
namespace {

double slowest(double mine, MPI_Comm comm) {
  double most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  return most;
}

void print_line(std::string_view label, const std::vector<double>& values, const char* format) {
  std::printf("  %-24s", std::string(label).c_str());
  for (const double value : values) {
    std::printf(format, value);
  }
  std::printf("\n");
}

}  // namespace

void print_configuration(const Options& options, const Grid& ranks, const apps::Machine& machine) {
  const auto wide = [](std::int64_t value) { return static_cast<long long>(value); };
  const Grid& cells = options.cells;
  std::printf(
      "Lennard-Jones: %lld atoms on %lld x %lld x %lld ranks, %lld steps, new lists every %lld, seed %lld\n",
      wide(4 * cells[0] * cells[1] * cells[2] * ranks[0] * ranks[1] * ranks[2]), wide(ranks[0]),
      wide(ranks[1]), wide(ranks[2]), wide(options.steps), wide(options.every), wide(options.seed));
  apps::print_machine(machine);
}

void print_times(const std::vector<Row>& ways, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto values = [&](auto seconds) {
    std::vector<double> all;
    for (const Row& way : ways) {
      all.push_back(slowest(seconds(way.times), comm));
    }
    return all;
  };
  if (rank == 0) {
    std::printf("\n  %-24s", "ms, slowest rank");
    for (const Row& way : ways) {
      std::printf("%11s", way.name.c_str());
    }
    std::printf("\n");
  }
  for (std::size_t phase = 0; phase < phase_names.size(); ++phase) {
    const auto line = values([&](const Times& times) { return times[static_cast<Phase>(phase)] * 1e3; });
    if (rank == 0) print_line(phase_names[phase], line, "%11.2f");
  }
  std::vector<double> communication = values([](const Times& times) { return times.communication() * 1e3; });
  if (rank == 0) {
    print_line("communication", communication, "%11.2f");
    const double first = communication.front();
    for (double& value : communication) {
      value = first > 0 ? (1 - value / first) * 100 : 0;
    }
    print_line(("less than by " + ways.front().name + ", %").c_str(), communication, "%11.0f");
    std::fflush(stdout);
  }
}

}  // namespace lammps
