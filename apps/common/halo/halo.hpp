// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/by.hpp"
#include "common/halo/fields.hpp"
#include "common/place.hpp"

#include <mpi.h>

#include <memory>

namespace apps {

/// Fills the ghost cells of all fields from the neighbours, corners included.
class Halo {
 public:
  virtual ~Halo() = default;
  Halo& operator=(Halo&&) = delete;

  /// Collective, after the work that the place's stream holds; work that it gets from then on sees the
  /// ghosts.
  virtual void exchange() = 0;
};

/// Collective. The fields are in the place's memory; all but the domain live as long. Throws on any rank
/// alone.
std::unique_ptr<Halo> make_halo(By way, const Domain& domain, const Fields& fields, const Place& place,
                                MPI_Comm comm);

// The ways of it: a pack kernel, and messages of the MPI in memory of the host; datatypes of the MPI, where
// memory of a GPU needs an MPI that takes it, or the preload library; the library's halo layer.
std::unique_ptr<Halo> halo_by_hand(const Domain& domain, const Fields& fields, const Place& place,
                                   MPI_Comm comm);
std::unique_ptr<Halo> halo_by_mpi(const Domain& domain, const Fields& fields, const Place& place,
                                  MPI_Comm comm);
std::unique_ptr<Halo> halo_by_typewarp(const Domain& domain, const Fields& fields, const Place& place,
                                       MPI_Comm comm);

}  // namespace apps
