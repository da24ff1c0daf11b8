// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/ipc/gpu_ipc.hpp"

#include <atomic>
#include <cstdint>
#include <limits>

namespace typewarp::test {

/// Lets ranks of one host read each other's host memory through the kernel, so that messages go direct where
/// there is no GPU, and fail when a test wants it.
class HostSharing final : public transport::Ipc {
 public:
  /// Whether the system lets processes read each other's memory. Asked of this process's own.
  static bool possible();

  bool present() const override { return true; }
  std::optional<gpu::SharedMemory> name(const transport::MessageBuffer& side,
                                        const plan::Bounds& span) const override;
  bool shares(const transport::MessageBuffer& destination) const override { return destination.bytes > 0; }
  std::unique_ptr<transport::IpcCopy> map(const gpu::SharedMemory& memory,
                                          const transport::MessageBuffer& destination) const override;

  std::optional<transport::PoolMemory> allocate(const transport::MessageBuffer& side,
                                                std::int64_t bytes) const override;
  std::unique_ptr<transport::IpcMapping> map_chunks(
      const gpu::SharedMemory& memory, const transport::MessageBuffer& destination) const override;
  bool near(const gpu::SharedMemory&, const transport::MessageBuffer&) const override { return is_near; }

  bool prefers_engines(const transport::MessageBuffer&, std::int64_t bytes,
                       const gpu::SharedMemory*) const override {
    return bytes >= least_by_engines;
  }

  std::int64_t least_by_engines = std::numeric_limits<std::int64_t>::max();
  bool names = true;                     ///< false: no side has a name, so that only chunks are shared
  bool is_near = true;                   ///< whether all is on one device
  bool wants_near = false;               ///< whether fragments are to be unpacked by way of own chunks
  mutable std::atomic<int> unpacked{0};  ///< fragments so far
  mutable std::atomic<int> staged{0};    ///< those of them that were
  bool maps = true;                      ///< false: no memory can be mapped
  std::atomic<bool> fails_early{false};  ///< copies fail when they are started
  std::atomic<bool> fails_late{false};   ///< or later
  std::atomic<bool> holds{false};        ///< copies do not end meanwhile
  mutable std::atomic<int> mapped{0};    ///< so far
};

}  // namespace typewarp::test
