// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/tuning/fragment_length.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace typewarp::transport {

/// The numbers of the protocol direct.
struct DirectPolicy {
  /// Bytes of the wire of a plan that is asked for; a longer one would take long to read, and messages of it
  /// go in pieces.
  std::int64_t longest_wire = std::int64_t{16} << 20;
  /// Plans of other ranks that are kept for their next messages, and the bytes that they had on the wire.
  std::size_t kept_plans = 1024;
  std::int64_t kept_wire_bytes = std::int64_t{64} << 20;

  /// Between two devices a message goes by one kernel from layout to layout or in packed pieces, whichever
  /// takes less time by these numbers: measured between two H200, those of pieces between two H100, in bytes
  /// a microsecond and microseconds. A kernel wastes the link where runs do not fill the sectors that cross
  /// it; pieces cost time each.
  std::int64_t sector = 32;
  std::int64_t long_run = 64;
  double sectors_rate = 277e3;    ///< of a kernel, where each sector is used whole,
  double long_runs_rate = 368e3;  ///< and where runs are at least `long_run`
  /// The rate falls faster than the part of a sector that is used: as this power of it (4 and 8 B of 32).
  double partial_sectors = 1.15;
  double pieces_rate = 357e3;
  double piece_cost = 10;
  /// Nothing crosses the link before the first piece is packed: so pieces are as long as they are many,
  /// counted in this length.
  std::int64_t piece_scale = std::int64_t{4} << 20;
  /// Shorter messages never go in pieces.
  std::int64_t pieces_from = std::int64_t{256} << 10;
  /// The longest fragments in memory of devices, also of those that go by a link.
  std::int64_t piece_bytes = std::int64_t{16} << 20;

  /// `run`: bytes that cross the link together on average, on that side where they are fewer. `near`: both
  /// sides lie with one device.
  bool prefers_pieces(std::int64_t bytes, std::int64_t run, bool near) const noexcept {
    if (near || bytes < pieces_from) return false;
    const double filled = static_cast<double>(std::min(run, sector)) / static_cast<double>(sector);
    const double rate = run >= long_run ? long_runs_rate : sectors_rate * std::pow(filled, partial_sectors);
    const auto amount = static_cast<double>(bytes);
    return amount / rate > piece_cost * pieces(bytes) + amount / pieces_rate;
  }

  /// How many pieces a message goes in where the longest are to be had: at least one.
  double pieces(std::int64_t bytes) const noexcept {
    const std::int64_t length = piece_length(bytes, piece_bytes);
    return std::max(1.0, static_cast<double>(bytes) / static_cast<double>(length));
  }
  /// How long they are, of at most `longest` bytes.
  std::int64_t piece_length(std::int64_t bytes, std::int64_t longest) const noexcept {
    return transport::piece_length(bytes, piece_scale, longest);
  }
};
inline constexpr DirectPolicy direct_policy;

}  // namespace typewarp::transport
