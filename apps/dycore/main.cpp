// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/compare.hpp"
#include "common/halo/program.hpp"
#include "dycore/options.hpp"
#include "dycore/simulation.hpp"
#include "dycore/validate.hpp"

#include <cstdio>

namespace {

using namespace dycore;

/// As run_ways() needs it.
struct Air {
  static constexpr const char* name = "dycore";
  static constexpr std::int64_t ghosts = dycore::ghosts;
  static constexpr auto phases = phase_names;
  std::int64_t levels, steps;

  std::string headline(const apps::Domain& domain) const {
    return "Dycore: " + std::to_string(fields) + " fields of " + std::to_string(levels) + " levels of " +
           apps::in_words(domain) + ", " + std::to_string(steps) + " steps";
  }

  apps::Outcome simulate(apps::By way, const apps::Domain& domain, const apps::Place& place,
                         MPI_Comm comm) const {
    Simulation simulation(domain, levels, way, bubbles(domain.global(), levels), Physics(), place, comm);
    const Times times = simulation.run(steps);
    return apps::outcome(way, times, Phase::exchange, simulation.state());
  }

  std::string difference(const std::vector<double>& state, const std::vector<double>& other,
                         apps::Shape box) const {
    return dycore::difference(state, other, {box, levels});
  }

  apps::Verdict judge(const std::vector<double>& state, apps::Shape box) const {
    const Box whole{box, levels};
    const double lost = imbalance(start_state(bubbles(box, levels), whole), state, whole);
    char text[128];
    std::snprintf(text, sizeof text, "totals conserved up to %.2g of them", lost);
    return {lost <= apps::largest_imbalance, text};
  }

  std::vector<double> drawn(const std::vector<double>& state, apps::Shape box) const {
    return plane_of(state, wind_z, levels / 2, {box, levels});
  }
};

int run(const Options& options, MPI_Comm comm) {
  return apps::run_ways(Air{options.levels, options.steps}, options, comm);
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program(Air::name, argc, argv, MPI_THREAD_SINGLE, parse_options, run);
}
