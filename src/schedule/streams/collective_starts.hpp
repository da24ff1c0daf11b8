// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/peer_reduction.hpp"
#include "engine/runtime/event.hpp"
#include "schedule/streams/watched_streams.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>

namespace typewarp::exchange {

/// What a group of devices enqueues on streams. Kernels do not tell the host that they wait: if somebody
/// watches, events before and after each call do, but in graphs.
class CollectiveStarts final : public WatchedStreams {
 public:
  /// Loads all kernels, as that may wait for the device. Throws GpuError.
  CollectiveStarts(int device, int rank, std::span<std::byte* const> memories, bool is_watched);

  /// Throws GpuError.
  void enqueue(const gpu::NumbersOfRanks& numbers, Stream stream);

  bool done() const noexcept override;
  bool waits() const noexcept override;
  bool changed() noexcept override;
  bool captured() const noexcept override { return captured_.load(); }
  void check_device() const override { reduction_.check_device(); }
  void release() override { reduction_.close(); }

 private:
  /// Where a stream comes to a call, and where it has done it.
  struct Watched {
    gpu::Event reached, ended;
  };

  void drop_ended() const;

  gpu::PeerReduction reduction_;
  bool is_watched_;
  std::atomic<bool> captured_ = false;
  mutable std::mutex mutex_;  ///< of what follows
  mutable std::deque<Watched> calls_;
  mutable std::uint64_t ended_ = 0;
  std::uint64_t ended_seen_ = 0;
};

}  // namespace typewarp::exchange
