// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace typewarp::gpu {

/// A word by which one side tells another that something has arrived. It is `lowered` until one side raises
/// it; the side that waits lowers it again. So a side raises a flag only after it knows that the flag has
/// been lowered. If a flag is `closed`, whoever waits for it continues, but moves and raises nothing more. A
/// stream that has just seen a flag raised, or that waits by memory operations, may still lower it
/// afterwards: so flags are closed repeatedly until all streams have ended.
using Flag = std::uint32_t;
inline constexpr Flag lowered = 0, raised = 1, closed = 2;

/// Flags in memory of a device, which others can map (share.hpp).
class DeviceFlags {
 public:
  /// All lowered. Throws GpuError.
  DeviceFlags(int device, int flags);
  DeviceFlags& operator=(DeviceFlags&&) = delete;
  ~DeviceFlags();

  Flag* at(int i) const noexcept;
  std::int64_t bytes() const noexcept;
  /// Closes the first flag and then all others, also while streams of the device wait for them. Returns when
  /// all are closed. Throws GpuError.
  void close() const;
  /// Never frees the memory: for the case that others may still write to it.
  void abandon() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
