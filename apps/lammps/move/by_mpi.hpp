// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/transfer.hpp"

#include <vector>

namespace lammps {

/// By persistent requests of the MPI, with a datatype each. Memory of a GPU needs an MPI that takes it, or
/// the preload library.
class ByMpi final : public Transfer {
 public:
  ByMpi(const Parts& parts, const Place& place, MPI_Comm comm);
  ~ByMpi() override;
  void run() override;

 private:
  const Place& place_;
  std::vector<MPI_Request> requests_;
};

}  // namespace lammps
