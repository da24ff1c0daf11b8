// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/simulation.hpp"

#include "common/stopwatch.hpp"
#include "hydro/halo/datatype.hpp"
#include "hydro/work.hpp"

#include <typewarp/error.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace hydro {
namespace {

constexpr std::int64_t stretch = 32;  // cells of which one thread finds the fastest wave
constexpr double courant_limit = 0.4;
constexpr int state_tag = 3;

std::int64_t stretches(const Domain& domain) {
  return (domain.owned.rows + stretch - 1) / stretch * domain.owned.columns;
}

std::unique_ptr<Halo> make_halo(By way, const Domain& domain, double* arrays, const apps::Place& place,
                                MPI_Comm comm) {
  if (way == By::hand) return halo_by_hand(domain, arrays, place, comm);
  if (way == By::mpi) return halo_by_mpi(domain, arrays, place, comm);
  return halo_by_typewarp(domain, arrays, place, comm);
}

/// Sets the cells of a strip to those of the box that begin at `origin`.
void set(std::vector<double>& arrays, const Layout& layout, const Strip& strip, Start start, apps::Shape box,
         apps::Shape origin) {
  for (std::int64_t row = 0; row < strip.size.rows; ++row) {
    for (std::int64_t column = 0; column < strip.size.columns; ++column) {
      store(arrays.data(), layout, strip.start.rows + row, strip.start.columns + column,
            to_conserved(start(box, origin.rows + row, origin.columns + column)));
    }
  }
}

}  // namespace

Simulation::Simulation(const Domain& domain, By way, Start start, const apps::Place& place, MPI_Comm comm)
    : domain_(domain),
      layout_(domain.layout()),
      place_(place),
      comm_(comm),
      conserved_(place.kind(), layout_.bytes()),
      primitive_(place.kind(), layout_.bytes()),
      down_(place.kind(), layout_.bytes()),
      right_(place.kind(), layout_.bytes()),
      fastest_(place.kind(), stretches(domain) * static_cast<std::int64_t>(sizeof(double))) {
  fill(start);
  halo_ = make_halo(way, domain_, numbers(conserved_), place, comm);
}

void Simulation::fill(Start start) {
  std::vector<double> arrays(static_cast<std::size_t>(variables * layout_.cells()));
  set(arrays, layout_, domain_.interior(), start, domain_.global(), domain_.origin(domain_.rank));
  place_.copy(conserved_.data(), arrays.data(), layout_.bytes());
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
  std::vector<double> whole;
  std::vector<MPI_Request> requests;
  const apps::Shape box = domain_.global();
  if (domain_.rank == 0) {
    whole.resize(static_cast<std::size_t>(variables * box.points()));
    for (int source = 0; source < domain_.ranks.points(); ++source) {
      const Datatype part = datatype_of({box.rows, box.columns}, {domain_.origin(source), domain_.owned});
      MPI_Irecv(whole.data(), 1, *part, source, state_tag, comm_, &requests.emplace_back());
    }
  }
  const std::vector<double> mine = place_.fetched(numbers(conserved_), variables * layout_.cells());
  const Datatype owned = datatype_of(layout_, domain_.interior());
  MPI_Isend(mine.data(), 1, *owned, 0, state_tag, comm_, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return whole;
}

std::vector<double> start_state(Start start, apps::Shape box) {
  std::vector<double> state(static_cast<std::size_t>(variables * box.points()));
  set(state, {box.rows, box.columns}, {{0, 0}, box}, start, box, {0, 0});
  return state;
}

}  // namespace hydro
