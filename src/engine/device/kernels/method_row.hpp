// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/launch.hpp"
#include "engine/device/layout/described.hpp"
#include "engine/runtime/enqueue.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What each way to move bytes says of itself, beside its kernels: rows of the table in move/methods.cpp.
/// Plain functions of values, which need no device.
namespace typewarp::gpu {

/// A move between two sides of kind `Kind`.
template <typename Kind>
struct MoveOf {
  const Kind& destination;
  const Kind& source;
  ByteRange range;  ///< of the packed stream: not empty, and less than 2 GiB where kernels move it
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
/// (docs/internals/measuring.md), unless said otherwise.
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
  /// But so few bytes, one by one: what counts is how long one thread takes. Within the device; over a link,
  /// and from layout to layout; and of wider words. Measured on an H100 (docs/internals/choice.md).
  std::int64_t few_bytes = std::int64_t{512} << 10;
  std::int64_t few_bytes_on_link = std::int64_t{64} << 10;
  std::int64_t few_bytes_of_words = std::int64_t{256} << 10;
  /// Regular layouts of narrow words are packed by deep words if they are dense; and from `deep_from` to
  /// `deep_to` bytes, if they are not far(): what lies in the L2 takes up to a quarter less time then, larger
  /// ones take up to 7 % more. Measured on an H100 (docs/internals/choice.md).
  std::int64_t deep_from = std::int64_t{4} << 20;
  std::int64_t deep_to = std::int64_t{8} << 20;
  /// Bytes of the shortest runs that are long: each may end in two incomplete words.
  std::int64_t long_run = 128;
  /// Thread blocks that fill a link and leave the other multiprocessors to an application: of layouts in
  /// words of at least `few_blocks_word` bytes, from so many bytes on of regular and of other ones, and of
  /// any move that was to spare the multiprocessors and that copy engines cannot do. They have 512 KiB in
  /// flight, of which PCIe 5 needs a half, and a link of 450 GB/s what it takes 1.1 us to pass. Measured on
  /// an H100 (docs/contention.md).
  int few_blocks = 16;
  int few_blocks_word = 8;
  std::int64_t few_blocks_from = std::int64_t{2} << 20;
  std::int64_t few_blocks_of_lists = std::int64_t{8} << 20;
};
inline constexpr FamilyPolicy family_policy;

/// What choose() is asked.
struct Query {
  MoveTraits move;
  Hints hints;
  bool recorded = false;    ///< whether the move goes into a graph
  bool by_kernels = false;  ///< whether a copy engine has refused it
  /// Where Method::copy_engines, when it is asked, lists its copies; null where it cannot be given any.
  std::vector<Box>* list = nullptr;
};

/// One of the methods.
struct MethodRow {
  Method method;
  bool kernel = true;      ///< of this library: none of the driver's copies
  std::string (*rule)();   ///< when it is taken, in words
  std::string (*needs)();  ///< what it cannot do without
  /// Whether it would move the right bytes.
  bool (*can)(const Query&);
  /// Whether it is the best one if none before it suits: then it can().
  bool (*suits)(const Query&);
};

inline bool passes_pcie(const MoveTraits& move) {
  return move.destination.on_host() || move.source.on_host();
}

/// "16 MiB", "64 KiB" or "100 B".
inline std::string bytes_text(std::int64_t bytes) {
  if (bytes % (1 << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
  if (bytes % 1024 == 0) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

}  // namespace typewarp::gpu
