// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/kernels/strategy.hpp"
#include "engine/gpu/cuda/kernels/transpose.hpp"
#include "engine/gpu/cuda/layout/described.hpp"

#include <optional>

/// Which kernel moves what. Plain functions of values, which need no device.
namespace typewarp::gpu {

/// A move between two sides of kind `Kind`.
template <typename Kind>
struct MoveOf {
  const Kind& destination;
  const Kind& source;
  ByteRange range;  ///< of the packed stream: not empty, and less than 2 GiB
  int word_log2;    ///< of the widest words that both sides allow

  std::int64_t bytes() const noexcept { return range.end - range.begin; }
  bool on_link() const noexcept { return destination.on_link() || source.on_link(); }
  /// Whether a side is packed bytes; what follows is about such moves.
  bool has_packed_side() const noexcept { return destination.contiguous() || source.contiguous(); }
  bool packs() const noexcept { return destination.contiguous(); }
  Direction direction() const noexcept { return packs() ? Direction::pack : Direction::unpack; }
  const Kind& layout() const noexcept { return packs() ? source : destination; }
  const Kind& packed() const noexcept { return packs() ? destination : source; }
};

/// A move as the choice sees it.
using MoveTraits = MoveOf<Described>;

/// When a family, and which of its kernels, suits a move: the numbers were measured on an H200
/// (docs/internals/measuring.md).
struct FamilyPolicy {
  /// A regular layout that is far() is gone through by fewer blocks at a time, if as many bytes as `far_size`
  /// are moved: each reserves so many bytes of shared memory. What few blocks access lies closer together,
  /// and more of it in open pages of DRAM (packing 8 B at stride 256 B takes 21 % less time, at 512 B 19 %).
  /// Devices have it since compute capability 7.0.
  std::int64_t far_size = std::int64_t{4} << 20;
  std::size_t far_reserve = 64000;
  /// Items of one word of 2 bytes are no patterns to pack; nor to unpack, where the stride between them is
  /// more than so many times their size (up to there 11 % faster as a pattern, beyond it 2 to 12 % slower).
  int alone = 2;
  /// Small words are moved in pieces where at least this many lie together on average.
  int words_of_a_piece = 4;
  /// But so few bytes, one by one: what counts is how long one thread takes. Within the device, and over a
  /// link.
  std::int64_t few_bytes = std::int64_t{64} << 10;
  std::int64_t few_bytes_on_link = 4096;
  /// Bytes of the shortest runs that are long: each may end in two incomplete words.
  std::int64_t long_run = 128;
};
inline constexpr FamilyPolicy family_policy;

enum class Family {
  transposed,  ///< through tiles, where the layout is transposed
  pattern,     ///< whole items through shared memory, where they are small and odd
  runs,        ///< into long runs at odd addresses, in aligned words of the destination
  words,       ///< word by word between a layout and packed bytes
  layouts,     ///< word by word; suits every move
};

struct Choice {
  Family family;
  KernelStrategy strategy = KernelStrategy::words;  ///< of Family::words
  std::optional<Transposition> tiles;               ///< of Family::transposed
};

/// Log2 of the widest words that both sides allow.
int word_log2(const Described& destination, const Described& source);

/// The first family that suits the move. From layout to layout, Family::pattern is to be tried: where the
/// items have too little in common, Family::layouts moves them.
Choice choose(const MoveTraits& move);

/// Whether fewer blocks at a time go through a layout faster. `lookup` is the one that the kernel takes.
bool gains_by_reserve(const MoveTraits& move, KernelStrategy strategy, Lookup lookup);

}  // namespace typewarp::gpu
