// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/block_pieces.hpp"

#include "interpose/core/settings.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::interpose {
namespace {

using Kind = CollectiveCall::Kind;

/// Host memory of a call: two ranks that exchange have pieces of 2 MiB of it. Not tuned: the calls of two
/// ranks cost as much in pieces of 1 to 8 MiB as whole (docs/internals/decisions.md).
constexpr std::int64_t usual = std::int64_t{16} << 20;

/// Ranks among which blocks go from each to each in pieces: among more these get short, and each takes a
/// launch.
constexpr int most_ranks = 16;

/// Places for pieces in host memory.
struct Places {
  std::int64_t sent, received;
};
Places places_of(const CollectiveCall& call) noexcept {
  const std::int64_t all = call.ranks.all;
  const bool is_root = call.ranks.is_root;
  switch (call.kind) {
    case Kind::broadcast:
      return {is_root ? 1 : 0, is_root ? 0 : 1};
    case Kind::gather:
      return is_root ? Places{0, all} : Places{1, 0};
    case Kind::scatter:
      return is_root ? Places{all, 0} : Places{0, 1};
    case Kind::allgather:  // a rank's own piece stands among those that it receives
      return {0, all};
    case Kind::alltoall:
      return {all, all};
  }
  return {};
}

/// Of the rank that has most.
std::int64_t most_places(const CollectiveCall& call) noexcept {
  if (call.kind == Kind::broadcast) return 1;
  return call.kind == Kind::alltoall ? 2 * call.ranks.all : call.ranks.all;
}

std::int64_t longest_of(const std::vector<RanksData>& blocks) noexcept {
  std::int64_t longest = 0;
  for (const RanksData& block : blocks) longest = std::max(longest, block.data.bytes());
  return longest;
}

}  // namespace

std::int64_t piece_bytes(const CollectiveCall& call) {
  constexpr std::int64_t none = 0;
  if (call.kind != Kind::broadcast && call.ranks.all > most_ranks) return none;
  constexpr std::int64_t slots = 2;
  return bytes_setting("TYPEWARP_COLLECTIVE_BYTES", usual, none) / (slots * most_places(call));
}

BlockPieces::BlockPieces(const CollectiveCall& call, const std::vector<RanksData>& sent,
                         std::vector<RanksData> received, std::int64_t piece)
    : call_(call), stride_(std::min(piece, std::max(longest_of(sent), longest_of(received)))) {
  const Places places = places_of(call);
  const auto all = static_cast<std::size_t>(call.ranks.all);
  for (Side* const side : {&sent_, &received_}) {
    side->places = side == &sent_ ? places.sent : places.received;
    side->counts.resize(all);
    side->displs.resize(all);
  }
  sent_.blocks = sent;
  received_.blocks = std::move(received);
  const bool is_to_all = call.kind == Kind::broadcast || call.kind == Kind::allgather;
  if (is_to_all && !sent_.blocks.empty()) sent_.blocks = {{call.ranks.own, sent.front().data}};
  const std::int64_t bytes = (sent_.places + received_.places) * stride_;
  for (Slot& slot : slots_) slot.memory = staging_for_moves(std::max<std::int64_t>(bytes, 1));
}

ByteRange BlockPieces::range(const Data& data, std::int64_t k) const noexcept {
  return {std::min(k * piece_, data.bytes()), std::min((k + 1) * piece_, data.bytes())};
}

void BlockPieces::pack(std::int64_t k) {
  const bool is_among_received = call_.kind == Kind::allgather;
  std::byte* const memory = is_among_received ? received(k) : sent(k);
  for (const auto& [rank, data] : sent_.blocks) {
    const ByteRange bytes = range(data, k);
    if (bytes.end > bytes.begin)
      slot(k).moves.pack(data, bytes, memory + place(is_among_received ? received_ : sent_, rank));
  }
}

void BlockPieces::unpack(std::int64_t k) {
  for (const auto& [rank, data] : received_.blocks) {
    const ByteRange bytes = range(data, k);
    if (bytes.end > bytes.begin) slot(k).moves.unpack(received(k) + place(received_, rank), bytes, data);
  }
}

void BlockPieces::count(Side& side, std::int64_t k) const noexcept {
  for (const auto& [rank, data] : side.blocks) {
    const auto i = static_cast<std::size_t>(rank);
    const ByteRange bytes = range(data, k);
    side.counts[i] = static_cast<int>(bytes.end - bytes.begin);
    side.displs[i] = static_cast<int>(place(side, rank));
  }
}

void BlockPieces::call_mpi(std::int64_t k) {
  count(sent_, k);
  count(received_, k);
  const auto only = [](const Side& side) {
    return side.blocks.empty() ? 0 : side.counts[static_cast<std::size_t>(side.blocks.front().rank)];
  };
  const auto& [kind, comm, ranks, root] = call_;
  const int* const sent_counts = sent_.counts.data();
  int* const counts = received_.counts.data();
  int* const displs = received_.displs.data();
  switch (kind) {
    case Kind::broadcast:
      return mpi::check(PMPI_Bcast(ranks.is_root ? sent(k) : received(k),
                                   only(ranks.is_root ? sent_ : received_), MPI_BYTE, root, comm),
                        "MPI_Bcast");
    case Kind::gather: {
      const void* const from = ranks.is_root ? MPI_IN_PLACE : sent(k);
      return mpi::check(
          PMPI_Gatherv(from, only(sent_), MPI_BYTE, received(k), counts, displs, MPI_BYTE, root, comm),
          "MPI_Gatherv");
    }
    case Kind::scatter: {
      void* const to = ranks.is_root ? MPI_IN_PLACE : received(k);
      return mpi::check(PMPI_Scatterv(sent(k), sent_counts, sent_.displs.data(), MPI_BYTE, to,
                                      only(received_), MPI_BYTE, root, comm),
                        "MPI_Scatterv");
    }
    case Kind::allgather: {
      const auto own = static_cast<std::size_t>(ranks.own);
      counts[own] = only(sent_);
      displs[own] = static_cast<int>(place(received_, ranks.own));
      return mpi::check(
          PMPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, received(k), counts, displs, MPI_BYTE, comm),
          "MPI_Allgatherv");
    }
    case Kind::alltoall:
      return mpi::check(PMPI_Alltoallv(sent(k), sent_counts, sent_.displs.data(), MPI_BYTE, received(k),
                                       counts, displs, MPI_BYTE, comm),
                        "MPI_Alltoallv");
  }
}

void BlockPieces::begin(std::int64_t piece, std::int64_t longest) noexcept {
  piece_ = piece;
  rounds_ = (longest + piece - 1) / piece;
  attempt([&] { pack(0); });
}

std::exception_ptr BlockPieces::move_all() noexcept {
  for (std::int64_t k = 0; k < rounds_; ++k) {
    attempt([&] { slot(k).moves.reached(true); });
    if (k + 1 < rounds_) attempt([&] { pack(k + 1); });
    attempt([&] { call_mpi(k); });
    attempt([&] { unpack(k); });
  }
  for (Slot& slot : slots_) attempt([&] { slot.moves.reached(true); });
  return failure_;
}

}  // namespace typewarp::interpose
