// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/simulation.hpp"

#include "lammps/gather.hpp"
#include "lammps/neighbours.hpp"

#include <numeric>

namespace lammps {
namespace {

/// Moves images to where they are.
void place_images(std::vector<double>& x, const std::vector<Image>& images, const Domain& domain) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    const int code = images[i];
    const Axes<int> steps{code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      x[3 * i + axis] += steps[axis] * domain.length[axis];
    }
  }
}

}  // namespace

Simulation::Simulation(const Domain& domain, By way, const Setting& setting, const Place& place,
                       MPI_Comm comm)
    : domain_(domain),
      setting_(setting),
      place_(place),
      comm_(comm),
      atoms_(make_start(domain, setting.cells, setting.seed), capacity_for(domain), place),
      communication_(domain_, way, atoms_, comm) {}

Times Simulation::run() {
  Times times;
  MPI_Barrier(comm_);
  apps::Stopwatch total;
  rebuild(times);
  compute_forces(times);
  energies_.assign(1, energy());
  for (std::int64_t step = 1; step <= setting_.steps; ++step) {
    begin_step(times);
    const bool new_lists = step % setting_.every == 0;
    if (new_lists) {
      rebuild(times);
    } else {
      communication_.forward(times);
    }
    compute_forces(times);
    end_step(times);
    if (new_lists || step == setting_.steps) energies_.push_back(energy());
  }
  times[Phase::total] = total.lap();
  return times;
}

void Simulation::rebuild(Times& times) {
  communication_.migrate(times);
  communication_.make_ghosts(times);
  apps::Stopwatch watch;
  std::vector<double> x = place_.fetched(atoms_.x(), 3 * atoms_.all());
  place_images(x, communication_.images(), domain_);
  Neighbours found = find_neighbours(x, place_.fetched(atoms_.tags(), atoms_.all()), atoms_.owned(), domain_);
  images_.assign(communication_.images(), place_);
  first_.assign(std::move(found.first), place_);
  partner_.assign(std::move(found.partner), place_);
  MPI_Barrier(comm_);  // who made its lists sooner does not wait for the others in its communication
  times[Phase::lists] += watch.lap();
}

void Simulation::compute_forces(Times& times) {
  apps::Stopwatch watch;
  const Axes<double>& length = domain_.length;
  place_.run(Force{atoms_.x(),
                   images_.data(),
                   first_.data(),
                   partner_.data(),
                   {length[0], length[1], length[2]},
                   atoms_.f(),
                   atoms_.energy()},
             atoms_.all());
  place_.synchronize();
  MPI_Barrier(comm_);
  times[Phase::compute] += watch.lap();
  communication_.reverse(times);
}

void Simulation::begin_step(Times& times) {
  apps::Stopwatch watch;
  place_.run(KickAndDrift{atoms_.x(), atoms_.v(), atoms_.f(), time_step}, 3 * atoms_.owned());
  place_.synchronize();
  MPI_Barrier(comm_);
  times[Phase::compute] += watch.lap();
}

void Simulation::end_step(Times& times) {
  apps::Stopwatch watch;
  place_.run(Kick{atoms_.v(), atoms_.f(), time_step}, 3 * atoms_.owned());
  place_.synchronize();
  times[Phase::compute] += watch.lap();
}

double Simulation::energy() const {
  double mine = 0;
  for (const double pairs : place_.fetched(atoms_.energy(), atoms_.all())) {
    mine += 0.5 * pairs;
  }
  for (const double v : place_.fetched(atoms_.v(), 3 * atoms_.owned())) {
    mine += 0.5 * v * v;
  }
  int ranks = 0;
  MPI_Comm_size(comm_, &ranks);
  std::vector<double> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comm_);
  return std::accumulate(all.begin(), all.end(), 0.0);  // in the order of ranks, so always alike
}

State Simulation::state() const {
  return gather(place_.fetched(atoms_.x(), 3 * atoms_.owned()),
                place_.fetched(atoms_.v(), 3 * atoms_.owned()), place_.fetched(atoms_.tags(), atoms_.owned()),
                comm_);
}

}  // namespace lammps
