// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/halo.hpp"
#include "common/memory.hpp"
#include "common/place.hpp"
#include "hydro/blast.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace hydro {

/// Where the time of a run goes: all that is computed; how long the next step may be, which the fastest wave
/// of all ranks limits; ghost cells; all.
enum class Phase : std::size_t { compute, step, exchange, total };
inline constexpr std::array<std::string_view, 4> phase_names{"compute", "time step", "exchange", "total"};
using Times = std::array<double, phase_names.size()>;

/// Gas in a box that repeats in both directions and is divided among ranks: Euler's equations by Godunov's
/// method, of second order, as in the benchmark Hydro. Both directions at once, so that one exchange serves a
/// step.
class Simulation {
 public:
  /// Collective. Place and communicator live as long. Throws on any rank alone.
  Simulation(const apps::Domain& domain, apps::By way, Start start, const apps::Place& place, MPI_Comm comm);

  /// Collective. Seconds of this rank. Throws typewarp::Error on all ranks if no step has a finite length.
  Times run(std::int64_t steps);

  /// How long the gas has flowed, in edges of cells over units of speed.
  double time() const noexcept { return time_; }
  /// Collective. All variables of the whole box, array after array, on rank 0; empty on the others.
  std::vector<double> state() const;

 private:
  double* numbers(const apps::Buffer& arrays) const { return reinterpret_cast<double*>(arrays.data()); }
  void fill(Start start);
  /// Collective. How long the next step may be, over the edge of a cell.
  double courant() const;
  void advance(double courant);

  apps::Domain domain_;
  apps::Layout layout_;
  const apps::Place& place_;
  MPI_Comm comm_;
  apps::Buffer conserved_, primitive_, down_, right_, fastest_;
  std::unique_ptr<apps::Halo> halo_;
  double time_ = 0;
};

/// The state of a whole box at its start.
std::vector<double> start_state(Start start, apps::Shape box);

}  // namespace hydro
