// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/transfer.hpp"

#include <typewarp/p2p.hpp>

#include <vector>

namespace lammps {

/// By persistent messages of the library.
class ByMessages final : public Transfer {
 public:
  ByMessages(const Parts& parts, const Place& place, MPI_Comm comm);
  void run() override;

 private:
  std::vector<typewarp::Request> requests_;
};

}  // namespace lammps
