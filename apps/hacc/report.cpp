// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/report.hpp"

#include "common/format.hpp"
#include "common/report.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace hacc {
namespace {

/// Collective. The values of all ranks, one rank's after the other's, on rank 0.
std::vector<double> gather(const std::vector<double>& mine, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int count = static_cast<int>(mine.size());
  std::vector<double> all(rank == 0 ? mine.size() * static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, comm);
  return all;
}

void print_head(const char* first, const std::vector<Row>& ways, const char* rest) {
  std::printf("%s", first);
  for (const Row& way : ways) {
    std::printf("%11s", way.name.c_str());
  }
  std::printf("%s\n", rest);
}

}  // namespace

void print_configuration(const Options& options, const Grid& grid, const apps::Machine& machine) {
  std::string particles;
  for (const std::int64_t mean : options.particles) {
    particles += (particles.empty() ? "" : ", ") + std::to_string(mean);
  }
  std::printf(
      "HACC: blocks of Voronoi cells on %lld x %lld x %lld ranks, %s particles each on average, seed %lld\n",
      static_cast<long long>(grid[0]), static_cast<long long>(grid[1]), static_cast<long long>(grid[2]),
      particles.c_str(), static_cast<long long>(options.seed));
  apps::print_machine(machine);
}

void print_alone(const char* what, double Seconds::* value, const std::vector<Row>& ways,
                 const Seconds& floor, const Block& mine, MPI_Comm comm) {
  std::vector<double> numbers{static_cast<double>(mine.header().num_orig_particles),
                              static_cast<double>(mine.bytes())};
  for (const Row& way : ways) {
    numbers.push_back(way.seconds.*value * 1e6);
  }
  numbers.push_back(floor.*value * 1e6);
  const std::vector<double> all = gather(numbers, comm);
  if (all.empty()) return;
  const auto library =
      static_cast<std::size_t>(std::ranges::find(ways, name(By::typewarp), &Row::name) - ways.begin());
  std::printf("\n%s, us (median), one rank after the other\n", what);
  print_head("  rank  particles      packed", ways,
             library < ways.size() ? "      floor  typewarp / floor" : "      floor");
  for (std::size_t first = 0; first < all.size(); first += numbers.size()) {
    std::printf("  %4zu%11.0f%12s", first / numbers.size(), all[first],
                apps::format_bytes(static_cast<std::int64_t>(all[first + 1])).c_str());
    for (std::size_t i = 2; i < numbers.size(); ++i) {
      std::printf("%11.2f", all[first + i]);
    }
    const double least = all[first + numbers.size() - 1];
    if (library < ways.size()) std::printf("%18.2f", least > 0 ? all[first + 2 + library] / least : 0);
    std::printf("\n");
  }
  std::fflush(stdout);
}

void print_together(const std::vector<Row>& ways, const Seconds& floor, const Block& mine, MPI_Comm comm) {
  const std::vector<double> bytes = gather({static_cast<double>(mine.bytes())}, comm);
  if (bytes.empty()) return;
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  std::printf("\nAll ranks together, %s, us (median of the slowest)\n%-24s",
              apps::format_bytes(static_cast<std::int64_t>(all)).c_str(), "");
  print_head("", ways, "      floor");
  struct Line {
    const char* label;
    double Seconds::* value;
  };
  for (const Line& line :
       {Line{"send and receive", &Seconds::send}, Line{"write to one file", &Seconds::write},
        Line{"read from it", &Seconds::read}}) {
    std::printf("  %-22s", line.label);
    for (const Row& way : ways) {
      std::printf("%11.1f", way.seconds.*line.value * 1e6);
    }
    std::printf("%11.1f\n", floor.*line.value * 1e6);
  }
  std::fflush(stdout);
}

}  // namespace hacc
