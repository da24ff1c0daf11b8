// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/halo.hpp"

namespace apps {

std::unique_ptr<Halo> make_halo(By way, const Domain& domain, const Fields& fields, const Place& place,
                                MPI_Comm comm) {
  if (way == By::hand) return halo_by_hand(domain, fields, place, comm);
  if (way == By::mpi) return halo_by_mpi(domain, fields, place, comm);
  return halo_by_typewarp(domain, fields, place, comm);
}

}  // namespace apps
