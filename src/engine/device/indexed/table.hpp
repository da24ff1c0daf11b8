// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/batch/copy_table.hpp"
#include "engine/device/indexed_copies.hpp"

/// Copies of items as one kernel sees them.
namespace typewarp::gpu {

/// Words [k * words, (k + 1) * words) of a launch are those of its k-th item.
struct IndexedEntry {
  using Small = CopyEntry::Small;

  std::int64_t source_stride, destination_stride;  ///< bytes from item to item
  ViewPlace source, destination;                   ///< of item 0
  std::uint32_t first_tile;
};

/// Entries whose items have equally many words of one size, so that all have equally many tiles.
struct IndexedTable : Table<IndexedEntry, long_table> {
  plan::Divider<std::uint32_t> words{};  ///< of an item
  int word_log2 = 0;

  /// False if there is no room left.
  bool add(IndexedEntry entry, const CopySide& from, const CopySide& to) {
    if (!takes(size_of(from.small()) + size_of(to.small()))) return false;
    entry.source = place(*this, from);
    entry.destination = place(*this, to);
    push(entry, 1);
    return true;
  }
};

/// Where a kernel tells of an index that is out of range: in page-locked memory. Notes are numbered, and no
/// number comes twice, whoever waits for a note.
struct WrongIndexNote {
  std::uint64_t owner;    ///< which object waits for a note here; 0: none
  std::uint64_t number;   ///< of the note that it waits for
  std::uint64_t written;  ///< of the last note, after its contents
  std::uint64_t of_source;
  std::int64_t position, value;
};

/// What one launch is told.
struct IndexedLaunch {
  const IndexedTable* table;  ///< in device memory
  Indices from, to;           ///< in memory that the device reaches
  std::uint32_t items;
  std::uint32_t tiles;   ///< of each entry, a block each
  std::uint64_t owner;   ///< who launches
  std::uint64_t* noted;  ///< number of the owner's last note that a thread has begun; in device memory
  WrongIndexNote* note;
};

/// Loads the kernels onto the current device.
void load_indexed();
/// Enqueues one kernel of entries * tiles blocks; the context's device is current. Throws GpuError.
void launch_indexed(IndexedLaunch& launch, std::int32_t entries, bool regular, const LaunchContext& context);

}  // namespace typewarp::gpu
