// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/halo.hpp"
#include "common/memory.hpp"
#include "dycore/start.hpp"
#include "dycore/work.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace dycore {

/// Where the time of a run goes: all that is computed; waiting for other ranks before an exchange; ghost
/// cells; all.
enum class Phase : std::size_t { compute, wait, exchange, total };
inline constexpr std::array<std::string_view, 4> phase_names{"compute", "wait", "exchange", "total"};
using Times = std::array<double, phase_names.size()>;

/// Memory of all fields.
class Storage {
 public:
  Storage(const apps::Layout& layout, std::int64_t levels, typewarp::MemoryKind kind);

  double* operator[](int field) const {
    return reinterpret_cast<double*>(buffers_[static_cast<std::size_t>(field)].data());
  }
  Arrays arrays() const { return {{(*this)[0], (*this)[1], (*this)[2], (*this)[3], (*this)[4]}}; }
  apps::Fields fields() const;

 private:
  std::int64_t levels_;
  std::vector<apps::Buffer> buffers_;
};

/// Air in a box that repeats horizontally and is divided among ranks, as in the dynamical core of COSMO: a
/// step has three stages (Runge-Kutta) of horizontal advection, sound and buoyancy, each after an exchange of
/// all fields, with horizontal diffusion from the first one, and ends with an implicit solve of each column.
class Simulation {
 public:
  /// Collective. Place and communicator live as long. Throws on any rank alone.
  Simulation(const apps::Domain& domain, std::int64_t levels, apps::By way, const Start& start,
             const Physics& physics, const apps::Place& place, MPI_Comm comm);

  /// Collective. Seconds of this rank.
  Times run(std::int64_t steps);

  /// Collective. All fields of the whole box, one after the other, on rank 0; empty on the others.
  std::vector<double> state() const;

 private:
  void fill(const Start& start);
  void diffuse();
  void advance(double fraction);
  void solve_columns();
  std::int64_t owned(int field) const { return planes_of(field, levels_) * domain_.owned.points(); }

  apps::Domain domain_;
  apps::Layout layout_;
  std::int64_t levels_;
  Physics physics_;
  const apps::Place& place_;
  MPI_Comm comm_;
  Storage air_, before_, diffusion_, tendency_;
  std::unique_ptr<apps::Halo> halo_;
};

}  // namespace dycore
