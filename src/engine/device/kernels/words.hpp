// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"

namespace typewarp::gpu {

/// Which of these kernels suits a move: measured on an H200 (docs/internals/measuring.md), unless said
/// otherwise.
struct WordsPolicy {
  /// A regular layout that is far() is gone through by fewer blocks at a time, if as many bytes as `far_size`
  /// are moved: each reserves so many bytes of shared memory, or all that a block may have (three blocks a
  /// multiprocessor of an H200). What few blocks access lies closer together, and more of it in open pages of
  /// DRAM (packing 8 B at stride 256 B takes 21 % less time, at 512 B 19 %).
  std::int64_t far_size = std::int64_t{4} << 20;
  int far_reserve = 64000;
  /// Small words are moved in pieces where at least this many lie together on average. Fewer are so packed
  /// over a link, which single bytes would waste, and within a device by deep words, unless they are far():
  /// what takes long is to find those. 1 B every 1,024, packed to pinned memory, takes words 0.7 of the time
  /// of pieces (H100, docs/internals/choice.md).
  int words_of_a_piece = 4;
  /// So few bytes of wider words are moved one word a thread. Measured on an H100 (docs/internals/choice.md).
  std::int64_t few_bytes = std::int64_t{256} << 10;
  /// Regular layouts of narrow words are packed by deep words if they are dense; and from `deep_from` to
  /// `deep_to` bytes, if they are not far(): what lies in the L2 takes up to a quarter less time then, larger
  /// ones take up to 7 % more. Measured on an H100 (docs/internals/choice.md).
  std::int64_t deep_from = std::int64_t{4} << 20;
  std::int64_t deep_to = std::int64_t{8} << 20;
};
inline constexpr WordsPolicy words_policy;

extern const MethodRow pieces_row, deep_words_row, words_row;
/// Of all of these.
void launch_words(const Move& move, Method method);

/// How a kernel of Method::words, deep_words or pieces goes through a layout.
KernelStrategy strategy_of(Method method);

/// Whether fewer blocks at a time go through a layout faster. `lookup` is the one that the kernel takes.
bool gains_by_reserve(const MoveTraits& move, Method method, Lookup lookup);

}  // namespace typewarp::gpu
