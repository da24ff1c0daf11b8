// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/place.hpp"
#include "hydro/by.hpp"
#include "hydro/domain.hpp"

#include <mpi.h>

#include <memory>

namespace hydro {

/// Fills the ghost cells of all variables from the neighbours, corners included.
class Halo {
 public:
  virtual ~Halo() = default;
  Halo& operator=(Halo&&) = delete;

  /// Collective, after the work that the place's stream holds; work that it gets from then on sees the
  /// ghosts.
  virtual void exchange() = 0;
};

/// Collective. `arrays` of the domain's layout are in the place's memory; all but the domain live as long.
/// A pack kernel, and messages of the MPI in memory of the host. Throws on any rank alone.
std::unique_ptr<Halo> halo_by_hand(const Domain& domain, double* arrays, const apps::Place& place,
                                   MPI_Comm comm);
/// Datatypes of the MPI. Memory of a GPU needs an MPI that takes it, or the preload library.
std::unique_ptr<Halo> halo_by_mpi(const Domain& domain, double* arrays, const apps::Place& place,
                                  MPI_Comm comm);
/// The library's halo layer.
std::unique_ptr<Halo> halo_by_typewarp(const Domain& domain, double* arrays, const apps::Place& place,
                                       MPI_Comm comm);

}  // namespace hydro
