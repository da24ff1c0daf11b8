// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"
#include "schedule/streams/watched_streams.hpp"

#include <atomic>
#include <cstdint>
#include <span>

namespace typewarp::exchange {

/// What a group of devices enqueues on streams. Kernels tell the host that they wait, in graphs too.
class CollectiveStarts final : public WatchedStreams {
 public:
  /// Loads all kernels, as that may wait for the device. Throws GpuError.
  CollectiveStarts(int device, int rank, std::span<std::byte* const> memories);

  /// Throws GpuError.
  void enqueue(const gpu::NumbersOfRanks& numbers, Stream stream);

  bool done() const noexcept override { return reduction_.done(); }
  bool waits() const noexcept override { return reduction_.waits(); }
  bool changed() noexcept override;
  bool captured() const noexcept override { return captured_.load(); }
  bool is_torn() const noexcept override { return is_torn_; }
  void check_device() const override { reduction_.check_device(); }
  void release() override { reduction_.close(); }

 private:
  gpu::PeerReduction reduction_;
  std::uint64_t ended_seen_ = 0;
  std::atomic<bool> captured_ = false;
  bool is_torn_ = false;
};

}  // namespace typewarp::exchange
