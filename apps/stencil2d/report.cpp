// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/report.hpp"

#include "stencil2d/median.hpp"
#include "stencil2d/point.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>
#include <vector>

namespace stencil2d {
namespace {

long long wide(std::int64_t value) { return value; }

/// Collective; rank 0 prints one line of a table over the ranks.
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

void print_configuration(const Options& options, const Setup& setup) {
  const Domain& domain = setup.domain;
  const Shape global = domain.global();
  std::printf("Stencil2D: nine points, field of %lld x %lld %s on %lld x %lld ranks of %lld x %lld each\n",
              wide(global.rows), wide(global.columns),
              options.precision == Precision::single_precision ? "float" : "double", wide(domain.grid.rows),
              wide(domain.grid.columns), wide(domain.local.rows), wide(domain.local.columns));
  std::printf("  %lld iterations, halo of %lld, one exchange every %lld iteration%s\n",
              wide(options.iterations), wide(domain.halo), wide(domain.halo), domain.halo == 1 ? "" : "s");
  std::printf("  halos exchanged %s\n",
              options.exchange == ExchangeBy::typewarp ? "by Typewarp" : "by hand: cudaMemcpy2D and MPI");
  std::printf("  memory: %s; %d of the ranks on this host with %u cores, %d GPUs; MPI: %s\n",
              std::string(typewarp::name(setup.memory)).c_str(), setup.ranks_on_host,
              std::thread::hardware_concurrency(), setup.gpus, mpi_name().c_str());
  std::fflush(stdout);
}

void print_phases(const PhaseTimes& times, const Domain& domain, std::int64_t iterations,
                  std::int64_t bytes_per_exchange, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    std::printf("\n  %-32s%11s%11s%11s\n", "over the ranks", "min", "median", "max");
  }
  for (std::size_t phase = 0; phase < phase_names.size(); ++phase) {
    const std::string label = std::string(phase_names[phase]) + ", ms";
    print_spread(label.c_str(), times.seconds()[phase] * 1e3, "%11.3f", comm);
  }
  const double flops =
      flops_per_point * static_cast<double>(domain.local.points()) * static_cast<double>(iterations);
  const double exchanges = static_cast<double>((iterations + domain.halo - 1) / domain.halo);
  const double sent = static_cast<double>(bytes_per_exchange) * exchanges;
  print_spread("compute, GFLOP/s", rate(flops * 1e-9, times[Phase::compute]), "%11.3f", comm);
  print_spread("compute and exchange, GFLOP/s", rate(flops * 1e-9, times[Phase::total]), "%11.3f", comm);
  print_spread("one exchange, us", rate(times.exchange() * 1e6, exchanges), "%11.3f", comm);
  print_spread("sent in one exchange, KiB", static_cast<double>(bytes_per_exchange) / 1024, "%11.3f", comm);
  print_spread("exchange, GB/s sent", rate(sent * 1e-9, times.exchange()), "%11.3f", comm);
  if (rank == 0) {
    std::fflush(stdout);
  }
}

}  // namespace stencil2d
