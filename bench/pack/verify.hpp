// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "memory.hpp"
#include "places.hpp"

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

/// One way to do the work: enqueues it, or has it done when it returns.
struct Mover {
  std::string name;
  std::function<void(cudaStream_t)> run;
};

/// Lets each mover move noise, new each time, from the one side to the other, where other noise is; then
/// counts the bytes that do not lie where `places` says, and the bytes beside the layout, out to whole lines
/// of 256, that have changed. Throws Error that names the mover. What is not in device memory goes through
/// `staging`.
void verify(const Side& source, const Side& destination, const std::vector<Mover>& movers, const Queue& queue,
            DevicePool& staging);

}  // namespace typewarp::bench
