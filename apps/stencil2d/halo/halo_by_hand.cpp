// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/halo/halo_by_hand.hpp"

#include "common/stopwatch.hpp"

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

HaloByHand::Side::Side(typewarp::MemoryKind kind, const Strip& strip, int rank, std::int64_t first_outgoing,
                       std::int64_t first_incoming)
    : neighbour(rank == no_neighbour ? MPI_PROC_NULL : rank),
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
      north_(kind, rows_, domain.north, domain.halo * pitch_, 0),
      south_(kind, rows_, domain.south, domain.local.rows * pitch_,
             (domain.local.rows + domain.halo) * pitch_),
      west_(kind, columns_, domain.west, domain.halo * element_bytes, 0),
      east_(kind, columns_, domain.east, domain.local.columns * element_bytes,
            (domain.local.columns + domain.halo) * element_bytes) {}

void HaloByHand::exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) {
  trade(field, rows_, north_, south_, stream, times);
  trade(field, columns_, west_, east_, stream, times);
}

void HaloByHand::trade(std::byte* field, const Strip& strip, const Side& low, const Side& high,
                       const apps::OwnedStream& stream, PhaseTimes& times) const {
  apps::Stopwatch watch;
  pack(field, strip, low, stream);
  pack(field, strip, high, stream);
  stream.synchronize();
  times[Phase::pack] += watch.lap();
  const int bytes = static_cast<int>(strip.bytes());
  std::array<MPI_Request, 4> requests;
  MPI_Irecv(low.received.data(), bytes, MPI_BYTE, low.neighbour, towards_high, comm_, requests.data());
  MPI_Irecv(high.received.data(), bytes, MPI_BYTE, high.neighbour, towards_low, comm_, requests.data() + 1);
  MPI_Isend(low.sent.data(), bytes, MPI_BYTE, low.neighbour, towards_low, comm_, requests.data() + 2);
  MPI_Isend(high.sent.data(), bytes, MPI_BYTE, high.neighbour, towards_high, comm_, requests.data() + 3);
  times[Phase::send] += watch.lap();
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  times[Phase::wait] += watch.lap();
  unpack(field, strip, low, stream);
  unpack(field, strip, high, stream);
  stream.synchronize();
  times[Phase::unpack] += watch.lap();
}

void HaloByHand::pack(const std::byte* field, const Strip& strip, const Side& side,
                      const apps::OwnedStream& stream) const {
  if (!side.exists()) return;
  apps::copy_rows(side.sent.data(), strip.width, field + side.outgoing, pitch_, strip.width, strip.height,
                  stream);
}

void HaloByHand::unpack(std::byte* field, const Strip& strip, const Side& side,
                        const apps::OwnedStream& stream) const {
  if (!side.exists()) return;
  apps::copy_rows(field + side.incoming, pitch_, side.received.data(), strip.width, strip.width, strip.height,
                  stream);
}

std::int64_t HaloByHand::bytes_sent() const noexcept {
  const auto bytes = [](const Side& side, const Strip& strip) { return side.exists() ? strip.bytes() : 0; };
  return bytes(north_, rows_) + bytes(south_, rows_) + bytes(west_, columns_) + bytes(east_, columns_);
}

}  // namespace stencil2d
