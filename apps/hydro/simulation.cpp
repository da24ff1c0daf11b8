// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/simulation.hpp"

#include "common/halo/gather.hpp"
#include "common/stopwatch.hpp"
#include "hydro/work.hpp"

#include <typewarp/error.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace hydro {
namespace {

constexpr std::int64_t stretch = 32;  // cells of which one thread finds the fastest wave
constexpr double courant_limit = 0.4;

std::int64_t bytes_of(const apps::Layout& layout) {
  return variables * layout.cells() * static_cast<std::int64_t>(sizeof(double));
}

std::int64_t stretches(const apps::Domain& domain) {
  return (domain.owned.rows + stretch - 1) / stretch * domain.owned.columns;
}

/// Sets the cells of a strip to those of the box that begin at `origin`.
void set(std::vector<double>& arrays, const apps::Layout& layout, const apps::Strip& strip, Start start,
         apps::Shape box, apps::Shape origin) {
  for (std::int64_t row = 0; row < strip.size.rows; ++row) {
    for (std::int64_t column = 0; column < strip.size.columns; ++column) {
      store(arrays.data(), layout, strip.start.rows + row, strip.start.columns + column,
            to_conserved(start(box, origin.rows + row, origin.columns + column)));
    }
  }
}

}  // namespace

Simulation::Simulation(const apps::Domain& domain, apps::By way, Start start, const apps::Place& place,
                       MPI_Comm comm)
    : domain_(domain),
      layout_(domain.layout()),
      place_(place),
      comm_(comm),
      conserved_(place.kind(), bytes_of(layout_)),
      primitive_(place.kind(), bytes_of(layout_)),
      down_(place.kind(), bytes_of(layout_)),
      right_(place.kind(), bytes_of(layout_)),
      fastest_(place.kind(), stretches(domain) * static_cast<std::int64_t>(sizeof(double))) {
  fill(start);
  halo_ = apps::make_halo(way, domain_, {{numbers(conserved_), variables}}, place, comm);
}

void Simulation::fill(Start start) {
  std::vector<double> arrays(static_cast<std::size_t>(variables * layout_.cells()));
  set(arrays, layout_, domain_.interior(), start, domain_.global(), domain_.origin(domain_.rank));
  place_.copy(conserved_.data(), arrays.data(), bytes_of(layout_));
  place_.synchronize();
}

Times Simulation::run(std::int64_t steps) {
  Times times{};
  const auto lap = [&](apps::Stopwatch& watch, Phase phase) {
    times[static_cast<std::size_t>(phase)] += watch.lap();
  };
  halo_->exchange();  // what is made only once is not timed
  place_.synchronize();
  MPI_Barrier(comm_);
  apps::Stopwatch total, watch;
  for (std::int64_t step = 0; step < steps; ++step) {
    const double next = courant();  // all ranks wait here, so that none waits for another in the exchange
    lap(watch, Phase::step);
    halo_->exchange();
    place_.synchronize();
    lap(watch, Phase::exchange);
    advance(next);
    place_.synchronize();
    lap(watch, Phase::compute);
    time_ += next;
  }
  lap(total, Phase::total);
  return times;
}

double Simulation::courant() const {
  const std::int64_t count = stretches(domain_);
  place_.run(FastestWave{layout_, numbers(conserved_), stretch, numbers(fastest_)}, count);
  double most = 0;
  for (const double wave : place_.fetched(numbers(fastest_), count)) most = larger_if_numbers(most, wave);
  if (std::isnan(most)) most = std::numeric_limits<double>::infinity();  // MPI_MAX may drop what is no number
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm_);
  if (most > 0 && std::isfinite(most)) return courant_limit / most;
  throw typewarp::Error("hydro: the fastest wave has speed " + std::to_string(most) +
                        ", which must be positive and finite");
}

void Simulation::advance(double courant) {
  const auto& [rows, columns] = domain_.owned;
  const double* primitive = numbers(primitive_);
  place_.run(ToPrimitive{layout_, numbers(conserved_), numbers(primitive_)}, layout_.cells());
  place_.run(Flux{layout_, 0, courant, primitive, numbers(down_)}, (rows + 1) * columns);
  place_.run(Flux{layout_, 1, courant, primitive, numbers(right_)}, rows * (columns + 1));
  place_.run(Update{layout_, courant, numbers(down_), numbers(right_), numbers(conserved_)}, rows * columns);
}

std::vector<double> Simulation::state() const {
  return apps::gather(domain_, {{numbers(conserved_), variables}}, place_, comm_);
}

std::vector<double> start_state(Start start, apps::Shape box) {
  std::vector<double> state(static_cast<std::size_t>(variables * box.points()));
  set(state, {box.rows, box.columns}, {{0, 0}, box}, start, box, {0, 0});
  return state;
}

}  // namespace hydro
