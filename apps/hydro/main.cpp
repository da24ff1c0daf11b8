// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/compare.hpp"
#include "common/halo/program.hpp"
#include "hydro/options.hpp"
#include "hydro/simulation.hpp"
#include "hydro/validate.hpp"

#include <cstdio>

namespace {

using namespace hydro;

/// As run_ways() needs it.
struct Gas {
  static constexpr const char* name = "hydro";
  static constexpr std::int64_t ghosts = hydro::ghosts;
  static constexpr auto phases = phase_names;
  std::int64_t steps;

  std::string headline(const apps::Domain& domain) const {
    return "Hydro: " + std::to_string(variables) + " variables of " + apps::in_words(domain) + ", " +
           std::to_string(steps) + " steps";
  }

  apps::Outcome simulate(apps::By way, const apps::Domain& domain, const apps::Place& place,
                         MPI_Comm comm) const {
    Simulation simulation(domain, way, blast, place, comm);
    const Times times = simulation.run(steps);
    return apps::outcome(way, times, Phase::exchange, simulation.state());
  }

  std::string difference(const std::vector<double>& state, const std::vector<double>& other,
                         apps::Shape box) const {
    return apps::difference(state, other, box, "variable");
  }

  /// Whether nothing was lost, and the gas is symmetric.
  apps::Verdict judge(const std::vector<double>& state, apps::Shape box) const {
    const double lost = imbalance(start_state(blast, box), state);
    const bool mirrored = symmetric(state, box);
    char text[128];
    std::snprintf(text, sizeof text, "totals conserved up to %.2g of them; %s", lost,
                  mirrored ? "symmetric to the last bit" : "not symmetric");
    return {lost <= apps::largest_imbalance && mirrored, text};
  }

  std::vector<double> drawn(std::vector<double> state, apps::Shape box) const {
    state.resize(static_cast<std::size_t>(box.points()));  // the first array is the density
    return state;
  }
};

int run(const apps::HaloOptions& options, MPI_Comm comm) {
  return apps::run_ways(Gas{options.steps}, options, comm);
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program(Gas::name, argc, argv, MPI_THREAD_SINGLE, parse_options, run);
}
