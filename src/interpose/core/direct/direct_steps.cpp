// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/direct/direct_steps.hpp"

#include "transport/collective/neighbours.hpp"

#include <typewarp/error.hpp>

#include <algorithm>

namespace typewarp::interpose {
namespace {

using Edge = transport::Neighbours::Edge;

Data data_of(const CallSide& side, std::size_t i) {
  Data data = side.data(i);
  if (data.is_moved_packed())
    throw InvalidArgument("typewarp", "buffer", "one of several memories", "must lie in one");
  return data;
}

/// What goes to a peer, or comes from it, unless it has no bytes.
template <class Part>
void add(std::vector<Part>& parts, const CallSide& side, std::size_t i, int peer) {
  if (side.count_of(i) == 0) return;
  const Data data = data_of(side, i);
  if (data.bytes() > 0) parts.push_back({data.address, data.count, data.plan, peer});
}

/// Numbers of edges that lead somewhere, those between two ranks in an order that both find.
std::vector<std::size_t> in_order(const std::vector<Edge>& edges) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i].rank != MPI_PROC_NULL) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return edges[i].tag; });
  return order;
}

DirectStep step_among_neighbours(const Call& call) {
  DirectStep step;
  const transport::Neighbours all = transport::in_topology(call.comm);
  for (const std::size_t i : in_order(all.destinations))
    add(step.sends, call.sent, i, all.destinations[i].rank);
  for (const std::size_t i : in_order(all.sources)) add(step.receives, call.received, i, all.sources[i].rank);
  return step;
}

}  // namespace

DirectStep step_of(const Call& call, const Participants& ranks) {
  if (call.among_neighbours) return step_among_neighbours(call);
  const CallBlocks blocks = blocks_of(call, ranks);
  const bool sends_received = call.in_place() && call.pattern == CallPattern::allgather;
  DirectStep step;
  for (const CallBlocks::Block& block : blocks.sends) {
    const auto i = static_cast<std::size_t>(sends_received ? ranks.own : block.rank);
    add(step.sends, sends_received ? call.received : call.sent, i, block.rank);
  }
  for (const CallBlocks::Block& block : blocks.receives)
    add(step.receives, call.received, static_cast<std::size_t>(block.rank), block.rank);
  return step;
}

}  // namespace typewarp::interpose
