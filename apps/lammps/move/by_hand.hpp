// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/staging.hpp"
#include "lammps/move/transfer.hpp"

#include <vector>

namespace lammps {

/// As LAMMPS itself does it: a loop or kernel gathers the atoms of a list in a buffer of the host, the MPI
/// sends that, and it is copied to where it belongs.
class ByHand final : public Transfer {
 public:
  ByHand(Parts parts, const Place& place, Staging& staging, MPI_Comm comm);
  void run() override;

 private:
  void pack(const Part& part, std::byte* packed) const;
  void unpack(const Part& part, const std::byte* packed) const;

  Parts parts_;
  const Place& place_;
  Staging& staging_;
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
};

}  // namespace lammps
