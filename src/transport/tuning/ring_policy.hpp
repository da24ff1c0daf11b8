// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace typewarp::transport {

/// The numbers of messages that go through rings.
struct RingPolicy {
  /// Rings of each rank, and the bytes that each has room for. What no message uses takes no memory.
  static constexpr std::int64_t rings = 64;
  static constexpr std::int64_t capacity = std::int64_t{128} << 10;
  /// The same of long rings, whose pieces are long enough for many threads to share the packing of each.
  static constexpr std::int64_t long_rings = 4;
  static constexpr std::int64_t long_capacity = std::int64_t{8} << 20;
  /// Messages of at least so many bytes go through a ring: shorter ones are sooner there as they are. The
  /// second number is for those of consecutive memory.
  std::int64_t least_bytes = 4096;
  std::int64_t least_in_place = 4096;
  /// Longer ones that are not consecutive at the sender go in pieces, which many threads pack and unpack.
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  /// Longer ones from consecutive to consecutive memory are copied once, by the receiver or by the MPI.
  std::int64_t most_in_place = std::int64_t{32} << 10;
  /// By the receiver if it may read the sender's memory.
  bool reads_memory = true;
  /// A message is cut into so many pieces, each of no fewer and no more bytes than these: the last one is
  /// unpacked when nothing is left to pack, and the caches should hold a few.
  std::int64_t pieces = 8;
  std::int64_t least_piece = std::int64_t{2} << 10;
  std::int64_t longest_piece = std::int64_t{32} << 10;
  /// Messages of at least so many bytes go through a long ring, as long as one is free and the sender may use
  /// so many threads: short pieces are what a few cores like.
  std::int64_t long_from = std::int64_t{1} << 20;
  std::int64_t least_threads = 4;
  /// Pieces there: not fewer bytes than threads share.
  std::int64_t least_long_piece = std::int64_t{256} << 10;
  std::int64_t longest_long_piece = std::int64_t{1} << 20;
  /// Bytes moved before other messages are looked after.
  std::int64_t bytes_at_a_time = std::int64_t{128} << 10;
  /// The same where the receiver reads the sender's memory.
  std::int64_t read_at_a_time = std::int64_t{1} << 20;

  constexpr std::int64_t longest(bool in_long_ring) const noexcept {
    return in_long_ring ? longest_long_piece : longest_piece;
  }
  constexpr std::int64_t piece_bytes(std::int64_t bytes, bool in_long_ring) const noexcept {
    const std::int64_t least = in_long_ring ? least_long_piece : least_piece;
    return std::min(longest(in_long_ring), std::max(least, bytes / pieces));
  }
};

}  // namespace typewarp::transport
