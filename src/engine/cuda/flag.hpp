// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/graph.hpp"

#include <atomic>
#include <cstdint>

namespace typewarp::cuda {

/// Where a device counts, and how far it is told to.
struct FlagSlot {
  std::atomic<std::uint64_t>* reached;  ///< in host memory that the device writes
  std::uint64_t* counter;               ///< in device memory
  bool programmatic;                    ///< what load_count() said
  std::uint64_t expected;
  FlagSlot* next;  ///< of those that nobody owns
};

/// Tells the host how often a graph got to its end, by a count in host memory: the host sees it
/// without a call of CUDA's. Memory that the device wrote before is visible to a host that saw the
/// count. May be destroyed while counts are outstanding. Not for several threads at once.
///
/// Measured from start to knowledge (H200, medians; 1 KiB of 8 B blocks to pinned memory, as a graph; an
/// empty launch and cudaStreamSynchronize in the same run: 8.6 us): cudaStreamSynchronize 6.6, polled event
/// or stream 6.6, flag by a kernel of its own 6.0, with a programmatic edge 5.75, by cuStreamWriteValue32 5.9
/// (and 0.8 more of the calling processor's time), in the moving kernel itself 5.3. The last works for one
/// thread block only. The graph with the flag, but cudaStreamSynchronize: 8.1. A kernel that stays resident
/// for this takes 7.9, and a multiprocessor, and never lets the device be synchronised.
class Flag {
 public:
  /// For streams of `device`. Waits for nothing but the upload of zeros, now and then.
  explicit Flag(int device);
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  ~Flag();

  /// Adds one count at the end of `graph`; false, and nothing, unless that is one kernel: a kernel that waits
  /// for DMA starts late (14 us instead of 7). Runs of it must follow each other.
  bool append(Graph& graph) const;

  /// One more run is on its way.
  void expect() noexcept { ++slot_->expected; }
  /// Whether all expected runs got there.
  bool reached() const noexcept { return slot_->reached->load(std::memory_order_acquire) == slot_->expected; }

 private:
  int device_;
  FlagSlot* slot_;
};

/// Loads the kernel that counts onto the current device; whether it can wait by itself for a kernel that it
/// follows, and so be launched before that ends.
bool load_count();
/// Adds that kernel to `graph`: it counts `counter` up, and stores the count to `reached` with release
/// semantics. `programmatic` if it can wait by itself.
void append_count(Graph& graph, std::uint64_t* counter, std::uint64_t* reached, bool programmatic);

}  // namespace typewarp::cuda
