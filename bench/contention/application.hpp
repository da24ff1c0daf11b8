// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "memory.hpp"
#include "work.hpp"

/// The work of an application, on the GPU.
namespace typewarp::contention {

/// Owns the memory that work of any kind and length goes through: 1.5 GiB of the device, and two buffers of
/// most_copied bytes at each end of a link.
class Application {
 public:
  /// What one copy moves at most.
  static constexpr std::int64_t most_copied = std::int64_t{512} << 20;

  Application();

  /// Kernels are one launch. Copies are one a direction; those of both ways run at once, and `stream` goes on
  /// behind both. Throws Error for a copy of more than most_copied bytes.
  void enqueue(Work work, std::int64_t units, cudaStream_t stream) const;
  /// Runs a kernel, and counts the elements that it computed wrongly; 0 for copies.
  std::int64_t wrong(Work work, std::int64_t units) const;

 private:
  void copy(bool to_host, std::int64_t bytes, cudaStream_t stream) const;

  bench::Queue queue_;
  bench::DeviceMemory a_, b_, result_, sent_, received_;
  bench::PinnedMemory from_device_, to_device_;
  std::int64_t resident_blocks_ = 0;
  std::shared_ptr<CUevent_st> fork_, join_;
};

}  // namespace typewarp::contention
