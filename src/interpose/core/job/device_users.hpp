// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace typewarp::interpose {

/// Which device each rank of a host uses, in memory that these ranks share. So a rank finds out that others
/// use its device (engine/runtime/gpu_sharing.hpp), of which MPI_Init cannot tell: most programs choose their
/// devices later. A member of the job. Thread safe.
class DeviceUsers {
 public:
  using Word = std::atomic<std::uint64_t>;

  /// `words`: one for each of the ranks, 0 at first.
  DeviceUsers(std::shared_ptr<Word[]> words, std::size_t ranks, std::size_t own) noexcept
      : words_(std::move(words)), ranks_(ranks), own_(own) {}

  /// To be called with what a call is given: tells the others of the device that has the memory, if one has,
  /// and looks which they use, until all have told.
  void look(const void* address) noexcept {
    if (!is_over_.load(std::memory_order_relaxed)) look_at_all(address);
  }

 private:
  void look_at_all(const void* address) noexcept;

  std::span<Word> words() const noexcept { return {words_.get(), ranks_}; }

  std::shared_ptr<Word[]> words_;
  std::size_t ranks_, own_;
  std::atomic<bool> is_over_ = false;
};

}  // namespace typewarp::interpose
