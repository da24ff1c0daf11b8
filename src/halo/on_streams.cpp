// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_on_streams.hpp>

#include "halo/agreement.hpp"

#include <typewarp/mpi_ranks.hpp>

#include <numeric>

namespace typewarp::halo {
namespace {

Datatype owned(const Field& field) {
  Box box;
  for (const Descriptor& descriptor : field.descriptors()) box.push_back(descriptor.owned());
  std::vector<int> order(field.dimensions());
  std::iota(order.begin(), order.end(), 0);
  return field.part(box, order);
}

template <typename Part>
std::vector<Part> parts_of(const ProcessGrid& grid, std::span<const FieldBlock> blocks,
                           const std::string& name) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto& [field, process] = blocks[i];
    if (process.size() != grid.dimensions()) {
      throw InvalidArgument("typewarp::halo::all_to_all", name + "[" + std::to_string(i) + "].process",
                            std::to_string(process.size()) + " coordinates",
                            "must be " + std::to_string(grid.dimensions()) + ", one a dimension");
    }
    parts.push_back({field.data(), 1, commit(owned(field)), grid.rank_of(process)});
  }
  return parts;
}

}  // namespace

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

typewarp::Exchange all_to_all(const ProcessGrid& grid, std::span<const FieldBlock> to,
                              std::span<const FieldBlock> from, const ExchangeOptions& options) {
  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
  together(grid.comm(), [&] {
    sends = parts_of<OutgoingPart>(grid, to, "to");
    receives = parts_of<IncomingPart>(grid, from, "from");
  });
  return typewarp::Exchange(mpi::ranks(grid.comm()), sends, receives, options);
}

}  // namespace typewarp::halo
