// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/grid.hpp"
#include "common/halo/domain.hpp"
#include "common/halo/options.hpp"
#include "common/machine.hpp"
#include "common/picture/picture.hpp"
#include "common/place.hpp"
#include "common/program.hpp"
#include "common/report.hpp"
#include "common/ways.hpp"

#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace apps {

/// What a run by one way ends with.
struct Outcome {
  std::vector<double> state;  ///< on rank 0: planes of the whole box, one after the other
  WayTimes times;
};

/// Of seconds of each phase, one of which is communication.
template <std::size_t phases, typename Phase>
Outcome outcome(By way, const std::array<double, phases>& seconds, Phase communication,
                std::vector<double> state) {
  const double communicated = seconds[static_cast<std::size_t>(communication)];
  return {std::move(state), {std::string(name(way)), {seconds.begin(), seconds.end()}, communicated}};
}

/// Whether a state is as it must be, and what to say of it.
struct Verdict {
  bool good;
  std::string text;
};

/// "192 x 96 cells on 2 x 1 ranks of 96 x 96 each".
inline std::string in_words(const Domain& domain) {
  const auto product = [](Shape shape) {
    return std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
  };
  return product(domain.global()) + " cells on " + product(domain.ranks) + " ranks of " +
         product(domain.owned) + " each";
}

/// On rank 0: says of each outcome that is not equal to the first one what differs.
template <typename Model>
bool all_equal(const Model& model, const std::vector<Outcome>& outcomes, Shape box) {
  bool equal = true;
  for (const Outcome& outcome : outcomes) {
    const std::string found = model.difference(outcome.state, outcomes[0].state, box);
    if (found.empty()) continue;
    std::printf("not equal: %s by %s and by %s\n", found.c_str(), outcome.times.name.c_str(),
                outcomes[0].times.name.c_str());
    equal = false;
  }
  return equal;
}

/// On rank 0: whether the state is right, and one rank comes to it too, on the host wherever the others ran.
template <typename Model>
bool validate(const Model& model, const std::vector<double>& state, const Domain& domain) {
  const Shape box = domain.global();
  const Outcome one_rank = model.simulate(By::hand, {{1, 1}, box, domain.ghosts, 0},
                                          Place(typewarp::MemoryKind::host), MPI_COMM_SELF);
  const std::string found = model.difference(state, one_rank.state, box);
  const Verdict verdict = model.judge(state, box);
  std::printf("validation: against one rank %s; %s\n",
              found.empty() ? "equal to the last bit" : ("different: " + found).c_str(),
              verdict.text.c_str());
  return found.empty() && verdict.good;
}

/// Collective. The run of a program whose ranks exchange ghost cells, by all ways that were asked for. They
/// must end with equal states. A Model has a `name`, the number of `ghosts`, the names of its `phases`, and
///   headline(domain), what is simulated;
///   simulate(way, domain, place, comm), collective: an Outcome;
///   difference(state, state, box), of the states of two outcomes, "" if they are equal;
///   judge(state, box), a Verdict;
///   drawn(state, box), the plane to draw.
template <typename Model>
int run_ways(const Model& model, const HaloOptions& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const Domain domain{choose_grid(options.grid, ranks), options.size, Model::ghosts, rank};
  const Machine machine = use_machine(options.memory, options.picture, comm);
  if (rank == 0) {
    std::printf("%s\n", model.headline(domain).c_str());
    print_machine(machine);
  }
  std::vector<Outcome> outcomes;
  std::vector<WayTimes> times;
  leave_together(Model::name, comm, [&] {
    const Place place(machine.memory);
    for (const By way : choose_ways(options.by, {By::hand, By::mpi, By::typewarp}, machine.memory)) {
      outcomes.push_back(model.simulate(way, domain, place, comm));
      times.push_back(outcomes.back().times);
    }
  });
  print_ways(Model::phases, times, comm);
  return conclude(comm, options.validate, [&] {
    const std::vector<double>& state = outcomes[0].state;
    const Shape box = domain.global();
    bool good = all_equal(model, outcomes, box);
    good = (!options.validate || validate(model, state, domain)) && good;
    if (options.picture.empty()) return good;
    return draw(options.picture, render(model.drawn(state, box), box, domain.ranks)) && good;
  });
}

}  // namespace apps
