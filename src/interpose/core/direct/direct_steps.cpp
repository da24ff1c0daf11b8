// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/direct/direct_steps.hpp"

#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/collectives/broadcast_shares.hpp"
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

/// Bytes of a share of a piece from which on another step pays: a step takes as long as some 1.5 MiB by a
/// link.
constexpr std::int64_t least_share = std::int64_t{2} << 20;
constexpr std::int64_t most_pieces = 4;

/// The data of a broadcast, cut where shares of pieces end.
class Shares {
 public:
  Shares(const Data& data, int shares)
      : data_(data), plan_(is_dense(data.plan) ? bytes_plan() : data.plan), shares_(shares) {
    pieces_ = std::clamp<std::int64_t>(data.bytes() / (shares * least_share), 1, most_pieces);
    each_ = share_bytes(data.bytes(), pieces_ * shares);
  }

  std::int64_t pieces() const noexcept { return pieces_; }
  bool can_be_cut() const noexcept { return each_ % plan_.size() == 0; }
  /// Of a piece; its count may be 0.
  OutgoingPart part(std::int64_t piece, int share, int peer) const {
    const std::int64_t begin = std::min((piece * shares_ + share) * each_, data_.bytes());
    const std::int64_t end = std::min(begin + each_, data_.bytes());
    const std::int64_t first = begin / plan_.size();
    return {at(data_.address, first * plan_.extent()), end / plan_.size() - first, plan_, peer};
  }

 private:
  Data data_;
  Plan plan_;
  int shares_;
  std::int64_t pieces_ = 1;
  std::int64_t each_ = 0;  ///< packed bytes
};

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

bool broadcast_steps_pay(std::int64_t bytes, const Participants& ranks) noexcept {
  return ranks.all > 2 && bytes / (ranks.all - 1) >= least_share;
}

std::optional<std::vector<DirectStep>> broadcast_steps(const Call& call, const Participants& ranks) {
  const CallSide& side = ranks.is_root ? call.sent : call.received;
  const Shares shares(data_of(side, 0), ranks.all - 1);
  if (!shares.can_be_cut()) return std::nullopt;
  std::vector<DirectStep> steps(static_cast<std::size_t>(shares.pieces()) + 1);
  const auto send = [&](std::size_t step, const OutgoingPart& part) {
    if (part.count > 0) steps[step].sends.push_back(part);
  };
  const auto receive = [&](std::size_t step, const OutgoingPart& part) {
    if (part.count > 0)
      steps[step].receives.push_back({const_cast<void*>(part.buffer), part.count, part.plan, part.peer});
  };
  for (std::int64_t piece = 0; piece < shares.pieces(); ++piece) {
    const auto step = static_cast<std::size_t>(piece);
    for (int share = 0; share < ranks.all - 1; ++share) {
      const int owner = share_owner(share, call.root);
      if (ranks.is_root) {
        send(step, shares.part(piece, share, owner));
      } else if (owner != ranks.own) {
        receive(step + 1, shares.part(piece, share, owner));
      } else {
        receive(step, shares.part(piece, share, call.root));
        for (int other = 0; other < ranks.all; ++other)
          if (other != call.root && other != owner) send(step + 1, shares.part(piece, share, other));
      }
    }
  }
  return steps;
}

}  // namespace typewarp::interpose
