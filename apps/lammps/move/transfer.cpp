// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/transfer.hpp"

#include "lammps/move/by_exchange.hpp"
#include "lammps/move/by_hand.hpp"
#include "lammps/move/by_messages.hpp"
#include "lammps/move/by_mpi.hpp"
#include "lammps/move/by_put.hpp"

#include <utility>

namespace lammps {

std::string_view name(By way) noexcept {
  switch (way) {
    case By::hand:
      return "hand";
    case By::mpi:
      return "mpi";
    case By::messages:
      return "messages";
    case By::put:
      return "put";
    case By::exchange:
      break;
  }
  return "exchange";
}

std::int64_t Part::bytes() const {
  std::int64_t words = 0;
  for (const Column& column : columns) {
    words += column.words;
  }
  return 8 * words * count;
}

std::unique_ptr<Transfer> make_transfer(const Means& means, Repetition repetition, Parts parts,
                                        Staging& staging) {
  const auto& [way, place, comm, arrays] = means;
  switch (way) {
    case By::hand:
      return std::make_unique<ByHand>(std::move(parts), place, staging, comm);
    case By::mpi:
      return std::make_unique<ByMpi>(parts, place, comm);
    case By::messages:
      return std::make_unique<ByMessages>(parts, place, comm);
    case By::put:
      return std::make_unique<ByPut>(parts, *arrays, comm);
    case By::exchange:
      break;
  }
  if (repetition == Repetition::once) return std::make_unique<ByMessages>(parts, place, comm);
  return std::make_unique<ByExchange>(parts, place, comm);
}

}  // namespace lammps
