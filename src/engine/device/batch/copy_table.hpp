// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/device/batch/table.hpp"

#include <bit>

/// Copies from layout to layout as one kernel sees them.
namespace typewarp::gpu {

/// What a link carries at a time, bytes.
inline constexpr std::uint32_t link_sector = 32;
/// Bytes that a thread loads before it stores, and that a tile has, where holes are passed over.
inline constexpr int hole_depth = 16;
inline constexpr std::uint32_t hole_tile = hole_depth * launch_policy.threads;

/// Where a view lies in the table's memory: a small one, or a View if `lookup` needs one.
struct ViewPlace {
  std::uint16_t offset;
  bool small;
  Lookup lookup;
};

/// A copy of `words` words of 1 << word_log2 bytes.
struct CopyEntry {
  /// Of as many levels as a box in a grid of three dimensions has: so one launch takes 210 copies.
  using Small = SmallView<3>;

  ViewPlace destination, source;
  std::uint32_t words;
  std::uint32_t first_tile;
  std::uint8_t word_log2;
  bool destination_moves = false;  ///< by a distance that is told at each launch
  bool source_moves = true;        ///< the same, by another
  /// Of each `run_stride` words, which are bytes, only so many are moved, if not 0: the others are holes
  /// (across_holes.hpp). Both views are contiguous and small.
  std::uint16_t run = 0;
  std::uint16_t run_stride = 0;

  static constexpr std::int64_t longest_stride = 0xffff;  ///< of runs
};

/// One side of a copy on its way into a table.
struct CopySide {
  View view;
  Lookup lookup;

  bool small() const { return CopyEntry::Small::holds(view, lookup); }
};

/// Puts the view into the table, which has room for it.
template <typename Table>
ViewPlace place(Table& table, const CopySide& side) {
  return {static_cast<std::uint16_t>(table.put(side.view, side.small())), side.small(), side.lookup};
}

/// Both sides of the first `bytes` bytes of their packed streams, in words that suit both.
struct ViewedCopy {
  CopySide destination{}, source{};
  int word_log2 = 0;
  std::uint32_t words = 0;
  std::uint16_t run = 0, run_stride = 0;  ///< as in CopyEntry

  ViewedCopy() = default;

  /// `more`: bits whose lowest set one bounds the word, too.
  template <typename Operand>
  ViewedCopy(const Operand& to, const Operand& from, std::int64_t bytes, std::int64_t more = 0) {
    const std::int64_t bits = wide | to.alignment() | from.alignment() | bytes | more;
    word_log2 = std::countr_zero(static_cast<std::uint64_t>(bits));
    words = static_cast<std::uint32_t>(bytes >> word_log2);
    destination.view = to.view({0, bytes}, word_log2, destination.lookup);
    source.view = from.view({0, bytes}, word_log2, source.lookup);
  }
  std::uint32_t tiles() const {
    // The first tile begins with a sector, before the first byte.
    return run == 0 ? batch_tiles(words, word_log2) : (words + link_sector - 1 + hole_tile - 1) / hole_tile;
  }
};

template <int bytes>
struct CopyTable : Table<CopyEntry, bytes> {
  using Table<CopyEntry, bytes>::size_of;
  /// Of its views.
  static int size_of(const ViewedCopy& copy) {
    return size_of(copy.destination.small()) + size_of(copy.source.small());
  }

  /// False if there is no room left.
  bool add(const ViewedCopy& copy, bool destination_moves = false, bool source_moves = true) {
    if (!this->takes(size_of(copy))) return false;
    const ViewPlace to = place(*this, copy.destination);
    const ViewPlace from = place(*this, copy.source);
    this->push({to, from, copy.words, 0, static_cast<std::uint8_t>(copy.word_log2), destination_moves,
                source_moves, copy.run, copy.run_stride},
               copy.tiles());
    return true;
  }
  /// Leaves the copy out when the table is launched.
  void remove(int i) {
    CopyEntry entry = this->entry(i);
    entry.words = 0;
    this->store(i * this->entry_size, entry);
  }
  int used() const { return this->entries * this->entry_size + this->room - this->views_begin; }

  /// The same in a table of another size. Precondition: used() is no more than its room.
  template <typename Other>
  Other moved() const {
    Other made;
    const int shift = this->room - made.room;
    made.entries = this->entries;
    made.views_begin = this->views_begin - shift;
    made.tiles = this->tiles;
    made.regular = this->regular;
    for (int i = 0; i < this->entries; ++i) {
      CopyEntry entry = this->entry(i);
      entry.destination.offset = static_cast<std::uint16_t>(entry.destination.offset - shift);
      entry.source.offset = static_cast<std::uint16_t>(entry.source.offset - shift);
      made.store(i * this->entry_size, entry);
    }
    std::memcpy(made.memory.data() + made.views_begin, this->memory.data() + this->views_begin,
                static_cast<std::size_t>(this->room - this->views_begin));
    return made;
  }
};

using ShortCopies = CopyTable<short_table>;
using LongCopies = CopyTable<long_table>;
static_assert(sizeof(LongCopies) + sizeof(DeviceCounter) <= 32764, "what a launch takes as parameters");

/// Each enqueues one kernel; the context's device is current. Throws GpuError if that fails. The table
/// travels with the launch.
void launch_copies(const ShortCopies& table, const LaunchContext& context);
void launch_copies(const LongCopies& table, const LaunchContext& context);

}  // namespace typewarp::gpu
