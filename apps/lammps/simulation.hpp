// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/communication.hpp"
#include "lammps/gather.hpp"
#include "lammps/state.hpp"

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace lammps {

/// What is simulated.
struct Setting {
  Grid cells;          ///< of each rank
  std::uint64_t seed;  ///< of the velocities
  std::int64_t steps;
  std::int64_t every;  ///< steps from one time that atoms change ranks, and lists are made, to the next
};

/// Atoms that attract and repel each other by the Lennard-Jones potential, in a periodic box that is divided
/// among the ranks: velocity Verlet, in reduced units, with the parameters of LAMMPS's benchmark.
class Simulation {
 public:
  /// Collective. Place and communicator live as long.
  Simulation(const Domain& domain, By way, const Setting& setting, const Place& place, MPI_Comm comm);

  /// Collective. All steps of the setting; this rank's times.
  Times run();

  /// Energy of the whole box, on all ranks: at the start, and whenever lists are made, and at the end.
  const std::vector<double>& energies() const noexcept { return energies_; }
  /// Collective. All atoms at the end, on rank 0.
  State state() const;

 private:
  void rebuild(Times& times);
  void compute_forces(Times& times);
  void begin_step(Times& times);
  void end_step(Times& times);
  double energy() const;

  Domain domain_;
  Setting setting_;
  const Place& place_;
  MPI_Comm comm_;
  Atoms atoms_;
  Communication communication_;
  Mirror<Image> images_;
  Mirror<std::int64_t> first_;
  Mirror<std::int32_t> partner_;
  std::vector<double> energies_;
};

}  // namespace lammps
