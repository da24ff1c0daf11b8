// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/launch.hpp"
#include "engine/device/layout/described.hpp"
#include "engine/runtime/enqueue.hpp"

#include <span>
#include <vector>

/// Which method moves what. Plain functions of values, which need no device.
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

/// One of the methods. `can` says whether it would move the right bytes, `suits` whether it is the best one
/// if none before it suits; `suits` implies `can`.
struct MethodRow {
  Method method;
  bool kernel;  ///< of this library: none of the driver's copies
  bool (*can)(const Query&);
  bool (*suits)(const Query&);
};

/// All methods but Method::automatic, in the order in which they are asked.
std::span<const MethodRow> method_rows() noexcept;

/// Whether the method can move this within the hints on blocks.
bool possible(const MethodRow& row, const Query& query);
/// What the method takes of what may be avoided. Copies within a device are kernels of the driver, also where
/// it is asked to keep off the multiprocessors (docs/contention.md).
Resource used(const MethodRow& row, const MoveTraits& move);

/// The method that moves it: the one that the hints ask for, if it is possible; else the first that suits,
/// and takes nothing that is to be avoided; else the first that is possible and does not either. Where
/// nothing spares the multiprocessors, Method::bounded. From layout to layout, Method::pattern is to be
/// tried: where the items have too little in common, Method::layouts moves them.
Method choose(const Query& query);

/// How a kernel of Method::words, deep_words, staged or pieces goes through a layout.
KernelStrategy strategy_of(Method method);

/// Whether all layouts are looked up by Lookup::generic.
inline bool asks_for_generic(const Hints& hints) {
  return hints.method == Method::generic && hints.max_blocks == 0;
}

/// Thread blocks of Method::bounded, at most.
int block_limit(const Hints& hints);

/// The priority of a move by `method`: the one that the hints ask for; else the highest of few blocks that
/// wait for PCIe, which take little from the kernels that they overtake.
Priority priority_of(const Query& query, Method method);

/// Log2 of the widest words that both sides allow.
int word_log2(const Described& destination, const Described& source);

/// Whether fewer blocks at a time go through a layout faster. `lookup` is the one that the kernel takes.
bool gains_by_reserve(const MoveTraits& move, Method method, Lookup lookup);

}  // namespace typewarp::gpu
