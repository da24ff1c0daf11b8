// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dycore/simulation.hpp"

#include "common/halo/gather.hpp"
#include "common/stopwatch.hpp"

namespace dycore {
namespace {

/// Each stage advances the fields by this fraction of a step (Wicker and Skamarock 2002).
constexpr std::array<double, 3> fractions{1.0 / 3, 1.0 / 2, 1};

std::int64_t bytes_of(int field, const apps::Layout& layout, std::int64_t levels) {
  return planes_of(field, levels) * layout.cells() * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

Storage::Storage(const apps::Layout& layout, std::int64_t levels, typewarp::MemoryKind kind)
    : levels_(levels) {
  for (int field = 0; field < dycore::fields; ++field)
    buffers_.emplace_back(kind, bytes_of(field, layout, levels));
}

apps::Fields Storage::fields() const {
  apps::Fields all{};
  for (int field = 0; field < dycore::fields; ++field) all.add({(*this)[field], planes_of(field, levels_)});
  return all;
}

Simulation::Simulation(const apps::Domain& domain, std::int64_t levels, apps::By way, const Start& start,
                       const Physics& physics, const apps::Place& place, MPI_Comm comm)
    : domain_(domain),
      layout_(domain.layout()),
      levels_(levels),
      physics_(physics),
      place_(place),
      comm_(comm),
      air_(layout_, levels, place.kind()),
      before_(layout_, levels, place.kind()),
      diffusion_(layout_, levels, place.kind()),
      tendency_(layout_, levels, place.kind()) {
  fill(start);
  halo_ = apps::make_halo(way, domain_, air_.fields(), place, comm);
}

void Simulation::fill(const Start& start) {
  const apps::Shape origin = domain_.origin(domain_.rank);
  for (int field = 0; field < fields; ++field) {
    std::vector<double> numbers(static_cast<std::size_t>(planes_of(field, levels_) * layout_.cells()));
    for (std::int64_t i = 0; i < owned(field); ++i) {
      const std::int64_t cell = i % domain_.owned.points(), columns = domain_.owned.columns;
      numbers[static_cast<std::size_t>(owned_cell(layout_, i))] = start(
          field, i / domain_.owned.points(), origin.rows + cell / columns, origin.columns + cell % columns);
    }
    place_.copy(air_[field], numbers.data(), bytes_of(field, layout_, levels_));
    place_.synchronize();
  }
}

Times Simulation::run(std::int64_t steps) {
  halo_->exchange();  // what is made only once is not timed
  place_.synchronize();
  MPI_Barrier(comm_);
  Times times{};
  apps::Stopwatch total, watch;
  const auto end = [&](Phase phase) {
    place_.synchronize();
    times[static_cast<std::size_t>(phase)] += watch.lap();
  };
  for (std::int64_t step = 0; step < steps; ++step) {
    for (const double fraction : fractions) {
      end(Phase::compute);
      MPI_Barrier(comm_);
      end(Phase::wait);
      halo_->exchange();
      end(Phase::exchange);
      if (fraction == fractions.front()) diffuse();
      advance(fraction);
    }
    solve_columns();
  }
  end(Phase::compute);
  times[static_cast<std::size_t>(Phase::total)] = total.lap();
  return times;
}

void Simulation::diffuse() {
  for (int field = 0; field < fields; ++field) {
    place_.run(Diffuse{layout_, physics_.horizontal, air_[field], diffusion_[field], before_[field]},
               owned(field));
  }
}

void Simulation::advance(double fraction) {
  for (int field = 0; field < fields; ++field) {
    place_.run(Tendency{layout_, levels_, physics_, air_.arrays(), field, tendency_[field]}, owned(field));
  }
  for (int field = 0; field < fields; ++field) {
    place_.run(Advance{layout_, fraction, before_[field], tendency_[field], diffusion_[field], air_[field]},
               owned(field));
  }
}

void Simulation::solve_columns() {
  for (const int field : {wind_x, wind_y, pressure, temperature, wind_z}) {  // the wind that carries is last
    place_.run(SolveColumn{layout_, levels_, physics_.vertical, air_[wind_z], field == wind_z, air_[field],
                           tendency_[field]},
               domain_.owned.points());
  }
}

std::vector<double> Simulation::state() const { return apps::gather(domain_, air_.fields(), place_, comm_); }

}  // namespace dycore
