// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace typewarp::gpu {

/// A word by which one side tells another that something has come: 0, and 1 once it is raised. Who waits for
/// it lowers it again, so it is raised only by who knows that this has been done.
using Flag = std::uint32_t;

/// Flags in memory of a device, which others can map (share.hpp).
class DeviceFlags {
 public:
  /// All 0. Throws GpuError.
  DeviceFlags(int device, int flags);
  DeviceFlags(const DeviceFlags&) = delete;
  DeviceFlags& operator=(const DeviceFlags&) = delete;
  ~DeviceFlags();

  Flag* at(int i) const noexcept;
  std::int64_t bytes() const noexcept;
  /// Raises the first flag, and when that is done all others, also while streams of the device wait for them.
  /// Returns when that is done. Throws GpuError.
  void raise_all() const;
  /// Gives the memory up for good: for where others may still write to it.
  void abandon() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
