// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace typewarp {

/// `count` items of a plan that lie `stride` bytes apart: item i is at `buffer` + i * stride.
struct ItemArray {
  void* buffer;
  std::int64_t count;
  std::int64_t stride;
  Plan plan;  ///< of one item
};

/// Which items a call moves, and in which order: the k-th one is item values[k], or item k without values.
struct IndexList {
  IndexList() = default;
  IndexList(const std::int32_t* all) noexcept : values(all), bytes(4) {}
  IndexList(const std::int64_t* all) noexcept : values(all) {}

  const void* values = nullptr;
  int bytes = 8;  ///< of a value: 4 or 8
};

/// Copies items between places that each call gives: rows of a table, pages of a cache, particles. Of one
/// pair of arrays or of many at once, such as the keys and values of all layers, which share the lists. One
/// kernel moves up to 199 pairs whose items are regular and have one size and alignment, fewer if they are
/// irregular. Nothing is prepared for a list.
///
/// Keeps the plans. The memory is the caller's, and must live until the work on it is done. May be destroyed
/// while work is in flight. An object must not be used by several threads at once; different objects may be.
class IndexedCopy {
 public:
  /// `source[i]` and `destination[i]` are a pair, whose items have equally many bytes. All sources have
  /// equally many items, and so have all destinations. Each array is in one kind of memory; either all are
  /// host memory, or one device reaches all of them. That is the device of the source of the first pair with
  /// device memory, or else of its destination. Items of a destination must not overlap: this is not checked.
  /// Allocates device memory and uploads; the first object on a device loads kernels, for which the driver
  /// may wait for that device.
  ///
  /// Throws InvalidArgument that names the array and its member for a negative count, a stride that leads out
  /// of 64 bits, an item of more than 1 GiB in memory of a device, counts or items that differ, or memory
  /// that the device does not reach; GpuError without memory.
  IndexedCopy(std::span<const ItemArray> source, std::span<const ItemArray> destination);
  IndexedCopy(IndexedCopy&&) noexcept;
  IndexedCopy& operator=(IndexedCopy&&) noexcept;
  ~IndexedCopy();

  /// Copies, for 0 <= k < count, item from[k] of each source to item to[k] of its destination. An item that
  /// is written twice gets some bytes of each source. No item that is read may overlap one that is written.
  ///
  /// Where a device moves the items, this is enqueued on `stream`, one of that device's or a default stream.
  /// Lists in device or managed memory are read when the stream comes to them, and the call waits for
  /// nothing. Lists in host memory, page-locked or not, are read before the call returns. It waits for
  /// the oldest such call if 32 are under way. It allocates for lists of more than 64 KiB, or if more than
  /// four calls are under way, for the first times: the driver may then wait for the device. May be captured
  /// into a graph if no list is in host memory; object and lists must live as long as the graph is replayed.
  /// On the host all is done on return, and lists are host memory too.
  ///
  /// Throws InvalidArgument for a negative count, more items than an array has where there is no list, memory
  /// that the device does not reach, values that are not aligned, or an index that is out of range, which
  /// "from[k]" or "to[k]" names. Nothing is moved then if the list is in host memory. Of other lists the
  /// device leaves out the items of such indices, and a later call, or check(), names one of them; that call
  /// enqueues nothing. One error may stand for several calls. Such an index costs more
  /// than an item: leave indices out rather than mark them so.
  void copy(IndexList from, IndexList to, std::int64_t count, Stream stream = {});

  /// Throws if the device has found an index out of range, as copy() does. Waits for nothing: synchronise the
  /// stream first.
  void check();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp
