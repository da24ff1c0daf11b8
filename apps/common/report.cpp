// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/report.hpp"

#include "common/median.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>
#include <vector>

namespace apps {
namespace {

/// Collective. The seconds of each way on the slowest rank, in ms.
template <typename Seconds>
std::vector<double> slowest(const std::vector<WayTimes>& ways, MPI_Comm comm, Seconds seconds) {
  std::vector<double> all;
  for (const WayTimes& way : ways) {
    all.push_back(seconds(way) * 1e3);
  }
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, comm);
  return all;
}

void print_line(std::string_view label, const std::vector<double>& values, const char* format) {
  std::printf("  %-24s", std::string(label).c_str());
  for (const double value : values) {
    std::printf(format, value);
  }
  std::printf("\n");
}

}  // namespace

std::string mpi_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  std::istringstream line(whole.substr(0, whole.find_first_of(",\n")));
  std::string name;
  for (std::string word; line >> word;) {
    if (word != "Version:") {
      name += (name.empty() ? "" : " ") + word;
    }
  }
  return name;
}

void print_machine(const Machine& machine) {
  std::printf("  memory: %s; %d of the ranks on this host with %u cores, %d GPUs; MPI: %s\n",
              std::string(typewarp::name(machine.memory)).c_str(), machine.ranks_on_host,
              std::thread::hardware_concurrency(), machine.gpus, mpi_name().c_str());
  std::fflush(stdout);
}

void print_spread_head(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    std::printf("\n  %-32s%11s%11s%11s\n", "over the ranks", "min", "median", "max");
  }
}

void print_spread(const char* label, double mine, const char* format, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<double> all(static_cast<std::size_t>(ranks));
  MPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, comm);
  if (rank != 0) {
    return;
  }
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  std::printf("  %-32s", label);
  for (const double value : {*least, median(all), *most}) {
    std::printf(format, value);
  }
  std::printf("\n");
}

void print_ways(std::span<const std::string_view> phases, const std::vector<WayTimes>& ways, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    std::printf("\n  %-24s", "ms, slowest rank");
    for (const WayTimes& way : ways) {
      std::printf("%11s", way.name.c_str());
    }
    std::printf("\n");
  }
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    const auto line = slowest(ways, comm, [&](const WayTimes& way) { return way.seconds[phase]; });
    if (rank == 0) print_line(phases[phase], line, "%11.2f");
  }
  std::vector<double> all = slowest(ways, comm, [](const WayTimes& way) { return way.communication; });
  if (rank != 0) return;
  print_line("communication", all, "%11.2f");
  const double first = all.front();
  for (double& value : all) {
    value = first > 0 ? (1 - value / first) * 100 : 0;
  }
  print_line("less than by " + ways.front().name + ", %", all, "%11.0f");
  std::fflush(stdout);
}

double rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

}  // namespace apps
