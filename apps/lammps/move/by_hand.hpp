// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/transfer.hpp"

#include <vector>

namespace lammps {

/// As LAMMPS itself does it: a loop or kernel gathers the atoms of a list in a buffer of the host, the MPI
/// sends that, and it is copied to where it belongs.
class ByHand final : public Transfer {
 public:
  ByHand(Parts parts, const Place& place, MPI_Comm comm);
  ~ByHand() override { place_.synchronize(); }  // before the buffers go
  void run() override;

 private:
  void pack(const Part& part, std::byte* packed) const;
  void unpack(const Part& part, const std::byte* packed) const;

  Parts parts_;
  const Place& place_;
  MPI_Comm comm_;
  std::vector<apps::Buffer> outgoing_, incoming_;
  std::vector<MPI_Request> requests_;
};

}  // namespace lammps
