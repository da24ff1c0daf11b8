// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/cuda/completion.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace typewarp::gpu {

/// Where a device counts, and what count is expected.
struct CounterSlot {
  std::atomic<std::uint64_t>* reached;  ///< in host memory that the device writes
  std::atomic<std::uint64_t>* passed;   ///< the same, of streams
  std::uint64_t* counter;               ///< in device memory
  std::uint64_t expected;
  std::uint64_t marks;  ///< what `passed` is expected to become
  CounterSlot* next;    ///< of those that nobody owns

  bool settled() const noexcept {
    return reached->load(std::memory_order_acquire) == expected &&
           passed->load(std::memory_order_acquire) == marks;
  }
};

/// Tells the host how often a graph has completed, by a count in host memory that the host reads without
/// calling CUDA. A host that has seen the count also sees what the device wrote before. May be destroyed
/// while counts are outstanding. Not for several threads at once.
///
/// Compared on an H200, from the start until the host knows, 1 KiB of 8 B blocks to pinned memory, as a
/// graph: a count in the moving kernel itself is fastest. Of many thread blocks, the last one to end counts;
/// where they do not all run at once, each would delay its successor until its stores are visible (move.cuh).
/// A kernel of its own for the count costs 0.4 us more with a programmatic edge, 0.7 without; a polled event
/// or stream, which tells of the others, 1.3; cudaStreamSynchronize, without and with a count in the
/// graph, 1.3 and 2.8; and a kernel that stays resident 2.6, and a multiprocessor, and never lets the device
/// be synchronised.
class CompletionCounter {
 public:
  /// For streams of `device`. Waits for nothing, except sometimes for the allocation and upload of zeros.
  explicit CompletionCounter(int device);
  /// Allocates many of them at once, so that ready_one() finds one.
  static void prepare(int device);
  /// One that takes no allocation; null if there is none.
  static std::unique_ptr<CompletionCounter> ready_one(int device);
  CompletionCounter& operator=(CompletionCounter&&) = delete;
  ~CompletionCounter();

  /// What `enqueue` launches. Its last kernel counts at its end, where its thread blocks all run at once;
  /// nothing does otherwise, and `counted` is false. Runs of the graph must follow each other.
  std::unique_ptr<Graph> record(const Enqueue& enqueue, bool& counted) const;

  /// One more run is on its way.
  void expect() noexcept {
    ++slot_->expected;
    asked_ = Clock::now();
  }
  /// Marks the point that a stream of the current device has reached now; false where devices cannot tell of
  /// that. Marks of one counter must follow each other. Throws GpuError.
  bool mark(cudaStream_t stream);
  /// Whether all expected runs and marks got there.
  bool reached() const noexcept { return slot_->settled(); }
  /// The same for repeated calls: throws GpuError if the device has failed, when no count comes.
  bool poll();

  /// Where a kernel counts that is in no graph.
  DeviceCounter on_device() const noexcept {
    return {slot_->counter, reinterpret_cast<std::uint64_t*>(slot_->reached)};
  }

 private:
  using Clock = std::chrono::steady_clock;
  CompletionCounter(int device, CounterSlot* slot) noexcept : device_(device), slot_(slot) {}

  int device_;
  CounterSlot* slot_;
  Clock::time_point asked_ = Clock::now();  ///< CUDA, about the device
};

/// A CUDA event that is reused, and a link of the list that it waits in meanwhile.
struct PooledEvent {
  cudaEvent_t handle;
  int device;
  PooledEvent* next;
  CompletionCounter* counter;  ///< of its own and never destroyed; null before it is first used
};
/// Whether it has come. Throws GpuError for what failed before it.
bool passed(const PooledEvent& event);

/// For the other thread of the processor's core, and for the exit from a loop that polls.
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace typewarp::gpu
