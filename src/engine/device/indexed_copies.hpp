// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/copy.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace typewarp::gpu {

/// A side of which item i lies i * stride bytes on.
struct SideOfItems {
  Side first;  ///< one item
  std::int64_t stride;
};
struct PairOfItems {
  SideOfItems source, destination;
  std::int64_t bytes;  ///< of an item: 1 to IndexedCopies::longest
};

/// A list of indices less than `bound`, and where it lies. Without values the k-th one is k.
struct Indices {
  const void* values;
  int bytes;  ///< of a value: 4 or 8
  std::int64_t bound;
  MemoryKind memory;
};

/// An index out of range.
struct WrongIndex {
  bool of_source;
  std::int64_t position, value;
};

/// Copies of items between places that each launch is told.
class IndexedCopies {
 public:
  static constexpr std::int64_t longest = std::int64_t{1} << 30;

  /// Allocates and uploads. What the sides point to must be addressable by the device.
  IndexedCopies(const std::vector<PairOfItems>& pairs, int device);
  IndexedCopies(const IndexedCopies&) = delete;
  IndexedCopies& operator=(const IndexedCopies&) = delete;
  /// Waits for what was launched.
  ~IndexedCopies();

  /// Enqueues the copies of `count` items, more than 0. Lists in pageable memory, whose values are in range,
  /// are read before it returns. Lists in host memory allocate where those of earlier launches are in use.
  void launch(const Indices& from, const Indices& to, std::int64_t count, Stream stream);

  /// One that a launch has come upon since the last call.
  std::optional<WrongIndex> take_wrong_index() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
