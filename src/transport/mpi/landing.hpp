// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace typewarp::transport {

/// The user's memory, where the MPI may put an announcement. Who else writes there before it is read destroys
/// that, and its sender waits for ever: a program does so that receives several messages into one buffer. So
/// of several receives into the same memory only the first receives in place, and the others share its
/// Landing: as long as one of them has that, no other receive gets the memory. No two overlap. Thread safe.
class Landing {
 public:
  /// One for these bytes, or, where it would overlap one that is there already, that one.
  struct Found {
    std::shared_ptr<Landing> own, other;
  };
  static Found at(const std::byte* first, std::int64_t bytes);

  Landing() = default;
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;
  ~Landing();

  /// What has come in place has been read, or nothing will come.
  void end() noexcept { over_.store(true, std::memory_order_release); }
  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  /// Nothing has come yet.
  void count_look() noexcept { looks_.fetch_add(1, std::memory_order_release); }
  unsigned looks() const noexcept { return looks_.load(std::memory_order_acquire); }

 private:
  const std::byte* first_ = nullptr;
  std::atomic<bool> over_ = false;
  std::atomic<unsigned> looks_ = 0;
};

}  // namespace typewarp::transport
