// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_on_streams.hpp>

#include "halo/agreement.hpp"

#include <typewarp/mpi_ranks.hpp>

namespace typewarp::halo {

typewarp::Exchange on_streams(const ProcessGrid& grid, const std::vector<Field>& fields,
                              const ExchangeOptions& options) {
  const std::vector<Direction> all_sides;
  Transfers transfers = agreed_transfers(grid, fields, all_sides);
  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
  together(grid.comm(), [&] {
    const schedule::Schedule schedule = schedule_of(fields, transfers, grid.rank());
    for (const auto& part : schedule.sends) sends.push_back({part.buffer, part.count, part.plan, part.peer});
    for (const auto& part : schedule.receives)
      receives.push_back({part.buffer, part.count, part.plan, part.peer});
  });
  return typewarp::Exchange(mpi::ranks(grid.comm()), sends, receives, options);
}

}  // namespace typewarp::halo
