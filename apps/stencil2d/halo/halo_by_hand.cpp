// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/halo/halo_by_hand.hpp"

#include "stencil2d/halo/side_watch.hpp"

#include <typewarp/error.hpp>

#include <array>
#include <limits>
#include <string>

namespace stencil2d {
namespace {

// Direction of travel: with two ranks in a row, both messages have the same ends.
constexpr int towards_low = 1;
constexpr int towards_high = 2;

typewarp::MemoryKind host_kind(typewarp::MemoryKind kind) {
  return kind == typewarp::MemoryKind::host ? kind : typewarp::MemoryKind::pinned;
}

}  // namespace

HaloByHand::Edge::Edge(Side where, typewarp::MemoryKind kind, const Strip& strip, int rank,
                       std::int64_t first_outgoing, std::int64_t first_incoming)
    : side(where),
      neighbour(rank == no_neighbour ? MPI_PROC_NULL : rank),
      outgoing(first_outgoing),
      incoming(first_incoming),
      sent(host_kind(kind), exists() ? strip.bytes() : 0),
      received(host_kind(kind), exists() ? strip.bytes() : 0) {
  if (strip.bytes() > std::numeric_limits<int>::max()) {
    throw typewarp::Error("by hand, a message of " + std::to_string(strip.bytes()) + " bytes is too long");
  }
}

HaloByHand::HaloByHand(const Domain& domain, std::int64_t element_bytes, typewarp::MemoryKind kind,
                       MPI_Comm comm)
    : comm_(comm),
      pitch_(domain.pitch * element_bytes),
      rows_{pitch_, domain.halo},
      columns_{domain.halo * element_bytes, domain.stored_rows()},
      north_(Side::north, kind, rows_, domain.north, domain.halo * pitch_, 0),
      south_(Side::south, kind, rows_, domain.south, domain.local.rows * pitch_,
             (domain.local.rows + domain.halo) * pitch_),
      west_(Side::west, kind, columns_, domain.west, domain.halo * element_bytes, 0),
      east_(Side::east, kind, columns_, domain.east, domain.local.columns * element_bytes,
            (domain.local.columns + domain.halo) * element_bytes) {}

void HaloByHand::exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) {
  trade(field, rows_, north_, south_, stream, times);
  trade(field, columns_, west_, east_, stream, times);
}

void HaloByHand::trade(std::byte* field, const Strip& strip, const Edge& low, const Edge& high,
                       const apps::OwnedStream& stream, PhaseTimes& times) const {
  SideWatch watch(times, stream);
  const int bytes = static_cast<int>(strip.bytes());
  std::array<MPI_Request, 4> requests;
  MPI_Irecv(low.received.data(), bytes, MPI_BYTE, low.neighbour, towards_high, comm_, requests.data());
  watch.messages(Phase::send, low.side);
  MPI_Irecv(high.received.data(), bytes, MPI_BYTE, high.neighbour, towards_low, comm_, requests.data() + 2);
  watch.messages(Phase::send, high.side);
  pack(field, strip, low, stream);
  watch.copied(Phase::pack, low.side);
  pack(field, strip, high, stream);
  watch.copied(Phase::pack, high.side);
  stream.synchronize();
  watch.lap(Phase::pack);
  MPI_Isend(low.sent.data(), bytes, MPI_BYTE, low.neighbour, towards_low, comm_, requests.data() + 1);
  watch.messages(Phase::send, low.side);
  MPI_Isend(high.sent.data(), bytes, MPI_BYTE, high.neighbour, towards_high, comm_, requests.data() + 3);
  watch.messages(Phase::send, high.side);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  watch.messages(Phase::wait, low.side);
  MPI_Waitall(2, requests.data() + 2, MPI_STATUSES_IGNORE);
  watch.messages(Phase::wait, high.side);
  unpack(field, strip, low, stream);
  watch.copied(Phase::unpack, low.side);
  unpack(field, strip, high, stream);
  watch.copied(Phase::unpack, high.side);
  stream.synchronize();
  watch.lap(Phase::unpack);
}

void HaloByHand::pack(const std::byte* field, const Strip& strip, const Edge& edge,
                      const apps::OwnedStream& stream) const {
  if (!edge.exists()) return;
  apps::copy_rows(edge.sent.data(), strip.width, field + edge.outgoing, pitch_, strip.width, strip.height,
                  stream);
}

void HaloByHand::unpack(std::byte* field, const Strip& strip, const Edge& edge,
                        const apps::OwnedStream& stream) const {
  if (!edge.exists()) return;
  apps::copy_rows(field + edge.incoming, pitch_, edge.received.data(), strip.width, strip.width, strip.height,
                  stream);
}

std::int64_t HaloByHand::bytes_sent() const noexcept {
  const auto bytes = [](const Edge& edge, const Strip& strip) { return edge.exists() ? strip.bytes() : 0; };
  return bytes(north_, rows_) + bytes(south_, rows_) + bytes(west_, columns_) + bytes(east_, columns_);
}

}  // namespace stencil2d
