// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/mapped_arrays.hpp"
#include "lammps/move/transfer.hpp"

#include <mpi.h>

#include <set>
#include <vector>

namespace lammps {

/// By kernels that take the rows of a list and store them where the neighbour has them, on the same host.
/// Only lists and places differ from one transfer to the next: nothing is made for them.
class ByPut final : public Transfer {
 public:
  /// Collective.
  ByPut(const Parts& parts, MappedArrays& arrays, MPI_Comm comm);
  void run() override;

 private:
  MappedArrays& arrays_;
  std::vector<MappedArrays::Put> puts_;
  std::set<int> to_, from_;  ///< other ranks
};

}  // namespace lammps
