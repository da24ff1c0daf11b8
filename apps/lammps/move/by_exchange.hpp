// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/transfer.hpp"

#include <typewarp/exchange.hpp>

namespace lammps {

/// By an Exchange of the library, which streams start.
class ByExchange final : public Transfer {
 public:
  ByExchange(const Parts& parts, const Place& place, MPI_Comm comm);
  void run() override;

 private:
  const Place& place_;
  typewarp::Exchange exchange_;
};

}  // namespace lammps
