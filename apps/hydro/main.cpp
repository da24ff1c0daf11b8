// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/grid.hpp"
#include "common/machine.hpp"
#include "common/picture/picture.hpp"
#include "common/program.hpp"
#include "common/report.hpp"
#include "common/ways.hpp"
#include "hydro/options.hpp"
#include "hydro/simulation.hpp"
#include "hydro/validate.hpp"

#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace hydro;

constexpr const char* program = "hydro";

struct Outcome {
  std::vector<double> state;  ///< on rank 0
  apps::WayTimes times;
};

/// Collective. The whole run by one way.
Outcome simulate(By way, const Domain& domain, std::int64_t steps, const apps::Place& place, MPI_Comm comm) {
  Simulation simulation(domain, way, blast, place, comm);
  const Times times = simulation.run(steps);
  return {simulation.state(),
          {std::string(name(way)),
           {times.begin(), times.end()},
           times[static_cast<std::size_t>(Phase::exchange)]}};
}

void print_configuration(const Options& options, const Domain& domain, const apps::Machine& machine) {
  const auto wide = [](std::int64_t value) { return static_cast<long long>(value); };
  std::printf(
      "Hydro: %d variables of %lld x %lld cells on %lld x %lld ranks of %lld x %lld each, %lld steps\n",
      variables, wide(domain.global().rows), wide(domain.global().columns), wide(domain.ranks.rows),
      wide(domain.ranks.columns), wide(domain.owned.rows), wide(domain.owned.columns), wide(options.steps));
  apps::print_machine(machine);
}

bool all_equal(const std::vector<Outcome>& outcomes, apps::Shape box) {
  bool equal = true;
  for (const Outcome& outcome : outcomes) {
    const std::string found = difference(outcome.state, outcomes[0].state, box);
    if (found.empty()) continue;
    std::printf("not equal: %s by %s and by %s\n", found.c_str(), outcome.times.name.c_str(),
                outcomes[0].times.name.c_str());
    equal = false;
  }
  return equal;
}

/// On rank 0: whether nothing was lost, the gas is symmetric, and one rank comes to the same end, on the host
/// wherever the others ran.
bool validate(const std::vector<double>& state, const Domain& domain, std::int64_t steps) {
  const apps::Shape box = domain.global();
  const Outcome one_rank =
      simulate(By::hand, {{1, 1}, box, 0}, steps, apps::Place(typewarp::MemoryKind::host), MPI_COMM_SELF);
  const std::string found = difference(state, one_rank.state, box);
  const double lost = imbalance(start_state(blast, box), state);
  const bool mirrored = symmetric(state, box);
  std::printf("validation: against one rank %s; totals conserved up to %.2g of them; %s\n",
              found.empty() ? "equal to the last bit" : ("different: " + found).c_str(), lost,
              mirrored ? "symmetric to the last bit" : "not symmetric");
  return found.empty() && lost <= largest_imbalance && mirrored;
}

bool draw(const std::string& picture, std::vector<double> state, const Domain& domain) {
  state.resize(static_cast<std::size_t>(domain.global().points()));  // the first array is the density
  return apps::draw(picture, apps::render(state, domain.global(), domain.ranks));
}

/// Collective.
int run(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Domain domain{apps::choose_grid(options.grid, ranks), options.size, rank};
  const apps::Machine machine = apps::use_machine(options.memory, options.picture, comm);
  if (rank == 0) print_configuration(options, domain, machine);

  std::vector<Outcome> outcomes;
  std::vector<apps::WayTimes> times;
  apps::leave_together(program, comm, [&] {
    const apps::Place place(machine.memory);
    for (const By way : apps::choose_ways(options.by, {By::hand, By::mpi, By::typewarp}, machine.memory)) {
      outcomes.push_back(simulate(way, domain, options.steps, place, comm));
      times.push_back(outcomes.back().times);
    }
  });
  apps::print_ways(phase_names, times, comm);
  return apps::conclude(comm, options.validate, [&] {
    const std::vector<double>& state = outcomes[0].state;
    bool good = all_equal(outcomes, domain.global());
    good = (!options.validate || validate(state, domain, options.steps)) && good;
    return (options.picture.empty() || draw(options.picture, state, domain)) && good;
  });
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program(program, argc, argv, MPI_THREAD_SINGLE, parse_options, run);
}
