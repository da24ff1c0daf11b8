// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/report.hpp"

#include "common/report.hpp"
#include "stencil2d/point.hpp"

#include <cstdio>
#include <string>

namespace stencil2d {
namespace {

long long wide(std::int64_t value) { return value; }

const char* in_words(ExchangeBy exchange) {
  switch (exchange) {
    case ExchangeBy::typewarp:
      return "by Typewarp";
    case ExchangeBy::hand:
      return "by hand: cudaMemcpy2D and MPI";
    case ExchangeBy::mpi:
      return "by derived datatypes of the MPI";
  }
  return "";
}

void print_sides(PhaseTimes times, MPI_Comm comm) {
  for (std::size_t i = 0; i < side_names.size(); ++i) {
    const std::string name(side_names[i]);
    const auto side = static_cast<Side>(i);
    apps::print_spread((name + " copies, ms").c_str(), times.copies(side) * 1e3, "%11.3f", comm);
    apps::print_spread((name + " messages, ms").c_str(), times.messages(side) * 1e3, "%11.3f", comm);
  }
  const double columns = times.copies(Side::west) + times.copies(Side::east);
  apps::print_spread("copies of columns, part", apps::rate(columns, times.exchange()), "%11.3f", comm);
}

}  // namespace

void print_configuration(const Options& options, const Setup& setup) {
  const Domain& domain = setup.domain;
  const apps::Shape global = domain.global();
  std::printf("Stencil2D: nine points, field of %lld x %lld %s on %lld x %lld ranks of %lld x %lld each\n",
              wide(global.rows), wide(global.columns),
              options.precision == Precision::single_precision ? "float" : "double", wide(domain.grid.rows),
              wide(domain.grid.columns), wide(domain.local.rows), wide(domain.local.columns));
  std::printf("  %lld iterations, halo of %lld, one exchange every %lld iteration%s\n",
              wide(options.iterations), wide(domain.halo), wide(domain.halo), domain.halo == 1 ? "" : "s");
  std::printf("  halos exchanged %s\n", in_words(options.exchange));
  apps::print_machine(setup.machine);
}

void print_phases(const PhaseTimes& times, const Domain& domain, std::int64_t iterations,
                  std::int64_t bytes_per_exchange, MPI_Comm comm) {
  using apps::print_spread;
  using apps::rate;
  apps::print_spread_head(comm);
  for (std::size_t phase = 0; phase < phase_names.size(); ++phase) {
    const std::string label = std::string(phase_names[phase]) + ", ms";
    print_spread(label.c_str(), times.seconds()[phase] * 1e3, "%11.3f", comm);
  }
  if (times.by_side()) print_sides(times, comm);
  const double flops =
      flops_per_point * static_cast<double>(domain.local.points()) * static_cast<double>(iterations);
  const double exchanges = static_cast<double>((iterations + domain.halo - 1) / domain.halo);
  const double sent = static_cast<double>(bytes_per_exchange) * exchanges;
  print_spread("compute, GFLOP/s", rate(flops * 1e-9, times[Phase::compute]), "%11.3f", comm);
  print_spread("compute and exchange, GFLOP/s", rate(flops * 1e-9, times[Phase::total]), "%11.3f", comm);
  print_spread("one exchange, us", rate(times.exchange() * 1e6, exchanges), "%11.3f", comm);
  print_spread("sent in one exchange, KiB", static_cast<double>(bytes_per_exchange) / 1024, "%11.3f", comm);
  print_spread("exchange, GB/s sent", rate(sent * 1e-9, times.exchange()), "%11.3f", comm);
  std::fflush(stdout);
}

}  // namespace stencil2d
