// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/launch_context.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::gpu {

/// A word by which one side tells another that something has come: 0, and 1 once it is raised. Who waits for
/// it lowers it again, so it is raised only by who knows that this has been done.
using Flag = std::uint32_t;

/// How a stream waits for flags: by the kernel of one block that raises others, or by operations of the
/// stream's behind it.
enum class FlagWait : std::uint8_t { kernel, memory_operation };

/// What a stream does with flags, in this order. All are in memory that the device addresses.
struct FlagSteps {
  std::vector<Flag*> raised = {};   ///< set to 1: who sees that sees all that the stream has done before
  std::vector<Flag*> awaited = {};  ///< the stream waits until each is 1, and sets it to 0
  std::vector<Flag*> lowered = {};  ///< set to 0
  std::uint64_t* count = nullptr;   ///< gets the number that enqueue() is given
  const Flag* gate = nullptr;       ///< if it is raised then, none is raised
};

/// Prepared work with flags, of one device.
class FlagWork {
 public:
  /// Throws GpuError where the device has no such operations of streams.
  FlagWork(int device, FlagSteps steps, FlagWait wait);

  /// Without a number, as in a graph, nothing is counted. Waits for nothing, and allocates nothing. Throws
  /// GpuError.
  void enqueue(Stream stream, std::uint64_t number = uncounted) const;
  static constexpr std::uint64_t uncounted = 0;

 private:
  int device_;
  FlagSteps steps_;
  FlagWait wait_;
};

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
