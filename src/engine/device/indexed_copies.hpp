// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/copy.hpp"
#include "plan/host_device.hpp"

#include <cstdint>
#include <functional>
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

/// A list of indices less than `bound`, from its value number `first` on. Without values the k-th one is k.
struct Indices {
  const void* values;
  int bytes;  ///< of a value: 4 or 8; values lie at multiples of that
  std::int64_t bound;
  bool on_host = false;  ///< whether the values lie there, and are in range
  std::int64_t first = 0;

  TYPEWARP_HD std::int64_t at(std::int64_t k) const {
    const std::int64_t i = first + k;
    if (values == nullptr) return i;
    return bytes == 4 ? std::int64_t{static_cast<const std::int32_t*>(values)[i]}
                      : static_cast<const std::int64_t*>(values)[i];
  }
  TYPEWARP_HD bool holds(std::int64_t index) const { return index >= 0 && index < bound; }
};

/// Lists in memory of a device, which launches on one stream read as often as they like.
class ResidentLists {
 public:
  /// Has `fill` write so many bytes in host memory, and enqueues their copy. Allocates where no idle memory
  /// suffices; that may wait for the device. Throws GpuError.
  ResidentLists(int device, std::int64_t bytes, Stream stream, const std::function<void(std::byte*)>& fill);
  ResidentLists& operator=(ResidentLists&&) = delete;
  /// Precondition: all launches that read them are over. Waits for nothing. The memory, as much page-locked
  /// as on the device, serves other lists.
  ~ResidentLists();

  const std::byte* data() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
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

  /// Allocates, uploads, and loads kernels. What the sides point to must be addressable by the device.
  IndexedCopies(const std::vector<PairOfItems>& pairs, int device);
  IndexedCopies& operator=(IndexedCopies&&) = delete;
  /// Waits for nothing: kernels may still run.
  ~IndexedCopies();

  /// Enqueues the copies of `count` items, more than 0. Lists on the host are read before it returns. That
  /// allocates for long lists, and waits for the oldest such launch where 32 are under way.
  void launch(const Indices& from, const Indices& to, std::int64_t count, Stream stream);

  /// An index out of range that a kernel has found since the last call. Others may have been found with it.
  std::optional<WrongIndex> take_wrong_index() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
