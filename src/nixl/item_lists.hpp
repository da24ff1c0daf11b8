// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace typewarp::nixl {

/// Bytes to be copied from one address to another.
struct ByteRun {
  std::byte* from;
  std::byte* to;
  std::int64_t bytes;
};

/// One side of an ItemList: item indices[k] is at first + indices[k] * stride.
struct ItemSide {
  std::byte* first = nullptr;
  std::int64_t stride = 0;
  std::int64_t count = 0;  ///< greater than each index
  std::vector<std::int64_t> indices;

  /// Of an index in a list for a device.
  int index_bytes() const noexcept;
  /// Of that list, and of a gap behind it that aligns another one.
  std::int64_t list_bytes() const noexcept;
  void write_list(std::byte* to) const;
};

/// Runs of one length as an IndexedCopy takes them: the k-th item of `from` goes to the k-th of `to`.
struct ItemList {
  std::int64_t bytes;  ///< of an item
  ItemSide from, to;
};

/// Lists that copy all of `runs`, one for each length. Where they have more than `most_lengths`, pieces whose
/// lengths are powers of two, so that the lists are few. No run has more than `longest_item` bytes.
std::vector<ItemList> item_lists_of(std::span<const ByteRun> runs);

constexpr std::size_t most_lengths = 8;
/// Copy engines move what is longer: between two H200 1 MiB takes 30 us so, and 256 KiB 35 by a kernel
/// (decision 106).
constexpr std::int64_t longest_item = (std::int64_t{1} << 20) - 1;
/// So few are copied one by one: a list takes memory of the device, and a copy to it.
constexpr std::size_t few_runs = 2;

}  // namespace typewarp::nixl
