// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_on_streams.hpp>

#include "halo/agreement.hpp"

#include <typewarp/mpi_ranks.hpp>

namespace typewarp::halo {

typewarp::Exchange on_streams(const ProcessGrid& grid, const std::vector<Field>& fields,
                              const ExchangeOptions& options) {
  const Options all_sides;
  together(grid.comm(), [&] { check(grid, fields, all_sides); });
  check_options(grid.comm(), fields.size(), all_sides);
  std::vector<Stage> stages{transfers_of(grid, fields, all_sides, full_width)};
  check_neighbours(grid.comm(), fields, stages);
  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
  together(grid.comm(), [&] {
    for (const Transfer& transfer : stages.front()) {
      for (std::size_t f = 0; f < fields.size(); ++f) {
        const Field& field = fields[f];
        const Plan sent = commit(field.part(transfer.sent[f], transfer.sent_order[f]));
        const Plan received = commit(field.part(transfer.received[f], transfer.received_order[f]));
        sends.push_back({field.data(), 1, sent, transfer.to});
        receives.push_back({field.data(), 1, received, transfer.from});
      }
    }
  });
  return typewarp::Exchange(mpi::ranks(grid.comm()), sends, receives, options);
}

}  // namespace typewarp::halo
