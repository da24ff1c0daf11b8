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

double rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

}  // namespace apps
