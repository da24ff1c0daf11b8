// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/device/batch/table.hpp"

/// The pieces of a batch as one kernel sees them.
namespace typewarp::gpu {

/// A piece: `words` words of 1 << word_log2 bytes, packed from `packed` on, and its view at `view` bytes of
/// the table's memory: a Small one, or a View if `lookup` needs one.
struct BatchEntry {
  using Small = SmallView<4>;

  std::byte* packed;
  std::uint32_t words;
  std::uint32_t first_tile;
  std::uint32_t view;
  std::uint8_t word_log2;
  bool small;
  Lookup lookup;
};

/// What the host remembers of a table in device memory.
struct BatchSize {
  std::uint32_t tiles;
  bool regular;
};

template <int bytes>
struct BatchTable : Table<BatchEntry, bytes> {
  /// False if there is no room left.
  bool add(BatchEntry entry, const View& view, std::uint32_t tiles_of_piece) {
    entry.small = BatchEntry::Small::holds(view, entry.lookup);
    if (!this->takes(this->size_of(entry.small))) return false;
    entry.view = static_cast<std::uint32_t>(this->put(view, entry.small));
    this->push(entry, tiles_of_piece);
    return true;
  }

  template <typename Kind>
  TYPEWARP_HD const Kind& view(const BatchEntry& entry) const {
    return *reinterpret_cast<const Kind*>(this->at(static_cast<int>(entry.view)));
  }
};

/// Bytes of a table that lies in the device's memory: that all of the GCL's 24 fields at most (paper 004) and
/// 26 neighbours are one kernel.
inline constexpr int prepared_table = 72000;

using PreparedBatch = BatchTable<prepared_table>;
using ShortBatch = BatchTable<short_table>;
using LongBatch = BatchTable<long_table>;
static_assert(sizeof(LongBatch) + sizeof(DeviceCounter) <= 32764, "what a launch takes as parameters");

// Each enqueues one kernel; the context's device is current. Throws GpuError if that fails.

/// With a table in the memory of the device.
void launch_batch(const PreparedBatch* table, const BatchSize& size, Direction direction,
                  const LaunchContext& context);

/// With a table that travels with the launch.
void launch_batch(const ShortBatch& table, Direction direction, const LaunchContext& context);
void launch_batch(const LongBatch& table, Direction direction, const LaunchContext& context);

}  // namespace typewarp::gpu
