// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "transport/tuning/policy.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace typewarp::transport {

/// Gathers copies of device memory that become possible at about the same time, so that one launch makes
/// many: a launch takes longer than the bytes of most messages. A copy waits while others may still join,
/// until a turn brings none or enough have gathered. Copies run on the library's streams for unpacking.
/// Thread safe.
class CopyCoalescer {
 public:
  class Candidate;
  class Copy;

  /// Call it whenever all operations have been advanced: launches the queues to which nothing was added since
  /// the last turn.
  void turn() noexcept;
  /// The number of copies that are not launched yet.
  std::size_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }

 private:
  struct Together;
  struct Queue {
    explicit Queue(int device) : batch(device) {}

    gpu::CopyBatch batch;
    std::shared_ptr<Together> next;  ///< what `batch` will be; null if it is empty
    std::size_t copies = 0;          ///< in it, but for those that were withdrawn
    std::int64_t bytes = 0;
    bool grown = false;  ///< since the last turn
  };

  Copy copy(int device, bool last, const gpu::Side& to, const gpu::Side& from, std::int64_t bytes);
  int enqueue(Queue& queue, int device, const gpu::Side& to, const gpu::Side& from, std::int64_t bytes);
  void launch(Queue& queue) noexcept;
  void reset(Queue& queue) noexcept;
  void withdraw(const Together& together, int number) noexcept;

  std::atomic<std::size_t> candidates_{0};
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::uint64_t> turns_{1};
  std::mutex mutex_;             ///< guards what follows
  std::map<int, Queue> queues_;  ///< by device
};

/// A copy that is gathered, under way, or over.
class CopyCoalescer::Copy {
 public:
  Copy() = default;
  Copy(Copy&& other) noexcept { swap(other); }
  Copy& operator=(Copy&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Copy() { withdraw(); }

  /// Whether there is no copy, or it is over. Throws once if the copy or its launch failed.
  bool reached();
  /// Removes it, unless it is launched already.
  void withdraw() noexcept;

 private:
  friend class CopyCoalescer;
  Copy(CopyCoalescer& home, std::shared_ptr<Together> together, int number) noexcept
      : home_(&home), together_(std::move(together)), number_(number) {}
  void swap(Copy& other) noexcept {
    std::swap(home_, other.home_);
    std::swap(together_, other.together_);
    std::swap(number_, other.number_);
  }

  CopyCoalescer* home_ = nullptr;
  std::shared_ptr<Together> together_;
  int number_ = 0;
};

/// A message that may become a copy: gathered copies wait for it, up to a turn. Must not outlive its
/// coalescer.
class CopyCoalescer::Candidate {
 public:
  Candidate() = default;
  Candidate(CopyCoalescer& home, int device) noexcept : home_(&home), device_(device) { ++home.candidates_; }
  Candidate& operator=(Candidate&&) = delete;
  ~Candidate() { leave(); }

  explicit operator bool() const noexcept { return home_ != nullptr; }
  void leave() noexcept {
    if (home_ != nullptr) --std::exchange(home_, nullptr)->candidates_;
  }
  /// Leaves, and copies the first `bytes` > 0 bytes of the packed stream on the device. Both sides must be
  /// addressable there, and live, with their plans, until the copy is over or withdrawn. Throws GpuError if
  /// the copy cannot be made; the copy itself reports later failures. Precondition: a candidate that has not
  /// left.
  Copy copy(const gpu::Side& to, const gpu::Side& from, std::int64_t bytes) {
    CopyCoalescer& home = *home_;
    leave();
    return home.copy(device_, home.candidates_ == 0, to, from, bytes);
  }

 private:
  CopyCoalescer* home_ = nullptr;
  int device_ = -1;
};

}  // namespace typewarp::transport
