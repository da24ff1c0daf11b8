// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/divider.hpp"
#include "plan/locate.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// From a layout to packed bytes, or back.
enum class Direction { pack, unpack };

/// How the digit of one level of a layout becomes an offset, where that is not digit * stride.
enum class Lookup : std::uint8_t {
  none,     ///< every level is regular
  list,     ///< equal blocks: entry `digit` of a list of displacements
  rank,     ///< short runs of any length: the run is found by counting bits
  search,   ///< long runs of any length: the run is found by bisection between two entries of a coarse index
  generic,  ///< any layout at all, by Algorithm 1 of 000
};
inline constexpr int lookups = 5;

/// 32 units of a packed item: which of them begin a run, and how many runs begin before them.
struct RankEntry {
  std::uint32_t begins;
  std::uint32_t before;
};

TYPEWARP_HD inline int bits_set(std::uint32_t bits) {
#ifdef TYPEWARP_ON_DEVICE
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}

TYPEWARP_HD inline int lowest_bit(std::uint32_t bits) {
#ifdef TYPEWARP_ON_DEVICE
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

/// What a lookup looks into, in device memory. Which fields mean something, by lookup:
///   list     displacements, width, scale
///   rank     displacements less the packed place of their run, width, scale, entries, unit_log2
///   search   node, lookaside
///   generic  nodes, lookaside, extent, origin
struct Lists {
  const std::byte* displacements = nullptr;
  std::int32_t width = 4;
  std::int32_t scale = 1;      ///< bytes that displacements of 4 bytes count
  std::int32_t unit_log2 = 0;  ///< of the bytes of a unit
  const RankEntry* entries = nullptr;
  const std::byte* lookaside = nullptr;
  plan::EncodedNode node{};  ///< of kind varying
  const plan::EncodedNode* nodes = nullptr;
  std::int64_t extent = 0;
  std::int64_t origin = 0;  ///< packed byte of word 0
};

/// Words that are consecutive on both sides.
struct WordRun {
  std::byte* address;
  std::uint32_t words;
};

/// One side of a move as kernels see it: where word `i` of the packed bytes to be moved lies. A word's index
/// has mixed-radix digits over the counts of the levels, innermost first, each worth a stride; one level may
/// look its offset up instead. Indices have 32 bits: what is beyond is moved in several launches.
struct View {
  static constexpr int capacity = 6;

  std::byte* base = nullptr;
  std::uint32_t start = 0;  ///< index of word 0 among the words from `base` on
  std::int32_t depth = 0;
  std::int32_t lookup_level = -1;
  plan::Divider<std::uint32_t> dividers[capacity];
  std::int64_t strides[capacity]{};  ///< bytes
  Lists lists;
  /// Whether the blocks lie so close together that a store to one had better find its sector in the cache.
  bool dense = false;
  /// The bytes of the layout that are moved lie in [lowest, highest): so may other bytes be read.
  const std::byte* lowest = nullptr;
  const std::byte* highest = nullptr;

  template <Lookup lookup>
  TYPEWARP_HD std::byte* at(std::uint32_t i, int word_log2) const {
    return piece<lookup, false>(i, word_log2).address;
  }

  /// The same, the lookup known only at run time.
  TYPEWARP_HD std::byte* at_any(Lookup lookup, std::uint32_t i, int word_log2) const {
    switch (lookup) {
      case Lookup::list:
        return at<Lookup::list>(i, word_log2);
      case Lookup::rank:
        return at<Lookup::rank>(i, word_log2);
      case Lookup::search:
        return at<Lookup::search>(i, word_log2);
      case Lookup::generic:
        return at_generic(i, word_log2);
      case Lookup::none:
        break;
    }
    return at<Lookup::none>(i, word_log2);
  }

  /// The words from word `i` on that are consecutive; fewer than there are where counting on would cost more.
  template <Lookup lookup, bool counted = true>
  TYPEWARP_HD WordRun piece(std::uint32_t i, int word_log2) const {
    if constexpr (lookup == Lookup::generic) {
      const std::int64_t packed = lists.origin + (std::int64_t{i} << word_log2);
      const plan::Location found = plan::locate({lists.nodes, lists.lookaside}, lists.extent, packed);
      constexpr std::int64_t most = 1 << 30;
      const std::int64_t run = found.run < most ? found.run : most;
      return {base + found.offset, static_cast<std::uint32_t>(run >> word_log2)};
    } else {
      return levels_piece<lookup, counted>(start + i, word_log2);
    }
  }

 private:
  /// Called and not inlined: kernels that know lookups only at run time ask at many places, and took minutes
  /// to compile.
  TYPEWARP_CALLED std::byte* at_generic(std::uint32_t i, int word_log2) const {
    return at<Lookup::generic>(i, word_log2);
  }

  template <Lookup lookup, bool counted>
  TYPEWARP_HD WordRun levels_piece(std::uint32_t rest, int word_log2) const {
    std::int64_t offset = 0;
    std::uint32_t looked_up = 0;
    std::uint32_t words = 1;
    if (counted && strides[0] == std::int64_t{1} << word_log2) words = run_left(rest);
#ifdef TYPEWARP_ON_DEVICE
#pragma unroll
#endif
    for (int level = 0; level < capacity; ++level) {
      const bool last = level + 1 >= depth;
      const std::uint32_t quotient = last ? 0 : dividers[level].quotient(rest);
      const std::uint32_t digit = last ? rest : rest - quotient * dividers[level].divisor;
      offset += static_cast<std::int64_t>(digit) * strides[level];
      if (lookup != Lookup::none && level == lookup_level) looked_up = digit;
      if (last) break;
      rest = quotient;
    }
    if constexpr (lookup == Lookup::list) offset += listed(looked_up);
    if constexpr (lookup == Lookup::rank) offset += ranked<counted>(looked_up, word_log2, words);
    if constexpr (lookup == Lookup::search) offset += searched<counted>(looked_up, word_log2, words);
    return {base + offset, words};
  }

  TYPEWARP_HD std::int64_t listed(std::uint32_t i) const {
    // Multiplied and not shifted: one instruction, together with the sum that this becomes a part of.
    if (lists.width == 4)
      return std::int64_t{reinterpret_cast<const std::int32_t*>(lists.displacements)[i]} * lists.scale;
    return reinterpret_cast<const std::int64_t*>(lists.displacements)[i];
  }

  TYPEWARP_HD std::uint32_t run_left(std::uint32_t i) const {
    if (depth == 1) return ~i;
    const std::uint32_t count = dividers[0].divisor;
    return count - (i - dividers[0].quotient(i) * count);
  }

  template <bool counted>
  TYPEWARP_HD std::int64_t ranked(std::uint32_t digit, int word_log2, std::uint32_t& words) const {
    const int unit_words_log2 = lists.unit_log2 - word_log2;
    const std::uint32_t unit = digit >> unit_words_log2;
    const RankEntry entry = lists.entries[unit / 32];
    const std::uint32_t bit = unit % 32;
    const std::uint32_t run =
        entry.before + static_cast<std::uint32_t>(bits_set(entry.begins << (31 - bit))) - 1;
    if constexpr (counted) {
      const std::uint32_t later = bit == 31 ? 0 : entry.begins >> (bit + 1);
      const std::uint32_t units = later != 0 ? static_cast<std::uint32_t>(lowest_bit(later)) + 1 : 32 - bit;
      words = (units << unit_words_log2) - (digit & ((1u << unit_words_log2) - 1));
    }
    return listed(run);
  }

  template <bool counted>
  TYPEWARP_HD std::int64_t searched(std::uint32_t digit, int word_log2, std::uint32_t& words) const {
    const plan::EncodedNode& node = lists.node;
    const std::int64_t packed = std::int64_t{digit} << word_log2;
    const std::byte* const prefix = lists.lookaside + node.prefix;
    const std::uint32_t run = plan::find_block<std::uint32_t>(node, lists.lookaside, packed);
    if constexpr (counted) {
      words = static_cast<std::uint32_t>((plan::entry(prefix, node.width, run + 1) - packed) >> word_log2);
    }
    return plan::entry(lists.lookaside + node.displacements, node.width, run) -
           plan::entry(prefix, node.width, run);
  }
};

/// Finds words one after the other, at growing indices: remembers the run of the last one where finding a run
/// costs a search.
template <Lookup lookup>
class Cursor {
 public:
  TYPEWARP_HD explicit Cursor(const View& view) : view_(view) {}

  TYPEWARP_HD std::byte* at(std::uint32_t i, int word_log2) {
    if constexpr (lookup == Lookup::search || lookup == Lookup::generic) {
      if (i - first_ >= piece_.words) {
        piece_ = view_.piece<lookup>(i, word_log2);
        first_ = i;
      }
      return piece_.address + (static_cast<std::int64_t>(i - first_) << word_log2);
    } else {
      return view_.at<lookup>(i, word_log2);
    }
  }

 private:
  const View& view_;
  std::uint32_t first_ = 0;
  WordRun piece_{nullptr, 0};
};

}  // namespace typewarp::gpu
