// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "memory.hpp"
#include "noise.hpp"

#include <functional>
#include <string>
#include <vector>

/// Compares every byte of a move, and every byte between and around those, on the device.
namespace typewarp::bench {

/// A layout with its Places in device memory: lists of large layouts take long to bring there.
class DevicePlaces {
 public:
  explicit DevicePlaces(Layout layout);

  const Layout& layout() const noexcept { return layout_; }
  /// For kernels.
  PlacesView view() const noexcept;

 private:
  Layout layout_;
  DeviceMemory nodes_, lists_;
};
/// Packed bytes.
Layout run_of(std::int64_t bytes);

/// What is read or written: displacements of the layout are relative to `buffer`, in memory of a Pool, in
/// which no byte of the layout may lie twice if it is written.
struct Side {
  const DevicePlaces& places;
  std::byte* buffer;
  bool on_device = true;

  const Layout& layout() const noexcept { return places.layout(); }
};

/// What a move left behind.
struct Counts {
  using Count = unsigned long long;  // what atomicAdd takes

  Count wrong = 0;    ///< bytes of the destination's layout that are not the source's
  Count changed = 0;  ///< bytes beside it, out to whole lines of 256, that are not as they were
};

/// Fills all whole lines that a side touches, and waits.
void fill(const Side& side, Noise noise, const Queue& queue, DevicePool& staging);
/// Counts after a move from a source that was filled with `moved` to a destination that was filled with
/// `before`, and spoils the destination. The source may be another process's: of its buffer only the address
/// modulo 256 matters.
Counts count_wrong(const Side& source, Noise moved, const Side& destination, Noise before, const Queue& queue,
                   DevicePool& staging);

/// One way to do the work: enqueues it, or has it done when it returns.
struct Mover {
  std::string name;
  std::function<void(cudaStream_t)> run;
  bool moves_gaps = false;  ///< what lies between the bytes of the layout may change
};

/// Lets each mover move noise, new each time, from the one side to the other, where other noise is; then
/// counts the bytes that do not lie where `places` says, and the bytes beside the layout, out to whole lines
/// of 256, that have changed but must not. Throws Error that names the mover. What is not in device memory
/// goes through `staging`.
void verify(const Side& source, const Side& destination, const std::vector<Mover>& movers, const Queue& queue,
            DevicePool& staging);

}  // namespace typewarp::bench
