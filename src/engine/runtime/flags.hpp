// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace typewarp::gpu {

/// A word by which one side tells another that something has come: `lowered`, until it is `raised`. Who waits
/// for it lowers it again, so it is raised only by who knows that this has been done. Or it is `closed`: who
/// waits for it goes on, and neither moves nor raises anything. A stream that has just seen it raised, or
/// that waits by operations, may still lower it: so flags are closed again until all streams have come to
/// their end.
using Flag = std::uint32_t;
inline constexpr Flag lowered = 0, raised = 1, closed = 2;

/// Flags in memory of a device, which others can map (share.hpp).
class DeviceFlags {
 public:
  /// All lowered. Throws GpuError.
  DeviceFlags(int device, int flags);
  DeviceFlags(const DeviceFlags&) = delete;
  DeviceFlags& operator=(const DeviceFlags&) = delete;
  ~DeviceFlags();

  Flag* at(int i) const noexcept;
  std::int64_t bytes() const noexcept;
  /// Closes the first flag, and when that is done all others, also while streams of the device wait for them.
  /// Returns when that is done. Throws GpuError.
  void close() const;
  /// Gives the memory up for good: for where others may still write to it.
  void abandon() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
