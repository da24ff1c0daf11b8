// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/collective.hpp"
#include "common/gpu/gpu.hpp"
#include "common/grid.hpp"
#include "common/machine.hpp"
#include "common/picture/picture.hpp"
#include "common/program.hpp"
#include "common/report.hpp"
#include "common/ways.hpp"
#include "lammps/options.hpp"
#include "lammps/report.hpp"
#include "lammps/scene.hpp"
#include "lammps/simulation.hpp"
#include "lammps/validate.hpp"

#include <typewarp/session.hpp>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace lammps;

constexpr const char* program = "lammps";

/// Collective. The whole run by one way.
Outcome simulate(By way, const Domain& domain, const Setting& setting, const Place& place, Times& times,
                 MPI_Comm comm) {
  Simulation simulation(domain, way, setting, place, comm);
  return apps::leave_together(program, comm, [&]() -> Outcome {
    times = simulation.run();
    return {simulation.energies(), simulation.state()};
  });
}

/// On rank 0: whether the energy was conserved, and a run of one rank comes to the same end, on the host
/// wherever the others ran.
bool validate(const Outcome& outcome, const Grid& ranks, const Setting& setting) {
  const Place host(typewarp::MemoryKind::host);
  const Grid cells{setting.cells[0] * ranks[0], setting.cells[1] * ranks[1], setting.cells[2] * ranks[2]};
  const Domain whole = make_domain({1, 1, 1}, cells, 0);
  Times times;
  const Outcome one_rank = simulate(By::hand, whole, {cells, setting.seed, setting.steps, setting.every},
                                    host, times, MPI_COMM_SELF);
  const Deviation found = deviation(outcome, one_rank, whole.length);
  const Deviation largest = largest_deviation(setting.steps);
  const double moved = larger(drift(outcome.energies), drift(one_rank.energies));
  std::printf(
      "validation: energy conserved up to %.2g of it; against one rank, energies up to %.2g, positions up to "
      "%.2g\n",
      moved, found.energy, found.distance);
  if (std::isinf(largest.distance)) {
    std::printf("positions not compared after %lld steps: the system is chaotic\n",
                static_cast<long long>(setting.steps));
  }
  return moved <= largest_drift && within(found, largest);
}

bool draw(const std::string& picture, const State& state, const Domain& domain) {
  constexpr double pixels = 1024;
  const double largest = std::max(domain.length[0], domain.length[1]);
  const auto side = [&](std::size_t axis) {
    return static_cast<std::int64_t>(pixels * domain.length[axis] / largest);
  };
  const apps::Shape shape{side(0), side(1)};
  return apps::draw(
      picture, apps::render(scene(state, domain.length, shape), shape, {domain.ranks[0], domain.ranks[1]}));
}

/// On rank 0: whether all outcomes are those of the first one.
bool all_equal(const std::vector<Outcome>& outcomes, const std::vector<apps::WayTimes>& rows) {
  bool equal = true;
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    const std::string found = difference(outcomes[i], outcomes[0]);
    if (!found.empty()) {
      std::printf("not equal: %s by %s and by %s\n", found.c_str(), rows[i].name.c_str(),
                  rows[0].name.c_str());
      equal = false;
    }
  }
  return equal;
}

/// Collective.
int run(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Grid grid = apps::choose_grid(options.grid, ranks);
  const apps::Machine machine = apps::use_machine(options.memory, options.picture, comm);
  if (rank == 0) print_configuration(options, grid, machine);

  const Domain domain = make_domain(grid, options.cells, rank);
  const Setting setting{options.cells, static_cast<std::uint64_t>(options.seed), options.steps,
                        options.every};
  std::optional<Place> place;
  apps::together(comm, [&] { place.emplace(machine.memory); });
  std::vector<By> all{By::hand, By::mpi, By::messages, By::exchange};
  if (machine.memory == typewarp::MemoryKind::device && machine.ranks_on_host == ranks)
    all.push_back(By::put);
  const std::vector<By> ways = apps::choose_ways(options.by, all, machine.memory);
  std::optional<typewarp::Session> session;
  if (std::ranges::count(ways, By::messages) + std::ranges::count(ways, By::exchange) > 0)
    session.emplace(comm);

  std::vector<Outcome> outcomes;
  std::vector<apps::WayTimes> rows;
  apps::leave_together(program, comm, [&] {
    for (const By way : ways) {
      Times times;
      try {
        outcomes.push_back(simulate(way, domain, setting, *place, times, comm));
      } catch (const apps::Refusal& why) {
        if (options.by || way != By::put) throw;
        if (rank == 0) std::printf("without put: %s\n", why.what());
        continue;
      }
      const auto& seconds = times.seconds();
      rows.push_back({std::string(name(way)), {seconds.begin(), seconds.end()}, times.communication()});
    }
  });
  apps::print_ways(phase_names, rows, comm);
  return apps::conclude(comm, options.validate, [&] {
    bool good = all_equal(outcomes, rows);
    good = (!options.validate || validate(outcomes[0], grid, setting)) && good;
    good = (options.picture.empty() || draw(options.picture, outcomes[0].state, domain)) && good;
    return good;
  });
}

}  // namespace

int main(int argc, char** argv) {
  // An Exchange of GPU memory that no GPU can store needs a thread, which would only be in the way of others.
  const int threads = apps::gpu::count() > 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  return apps::run_program(program, argc, argv, threads, parse_options, run);
}
