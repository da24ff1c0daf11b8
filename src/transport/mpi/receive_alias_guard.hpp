// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace typewarp::transport {

/// Guards the user's memory where the MPI may put an announcement. A program that receives several messages
/// into one buffer would overwrite the announcement before it is read, and its sender would wait forever. So
/// of several receives into the same memory, on any communicators, only the first owns it and receives in
/// place. No other receive gets the memory until the owner and all that share it have gone. Move-only; thread
/// safe.
class ReceiveAliasGuard {
 public:
  /// Owns these bytes; or shares those of another receive that they overlap.
  static ReceiveAliasGuard at(const std::byte* first, std::int64_t bytes);

  ReceiveAliasGuard() = default;
  ReceiveAliasGuard(ReceiveAliasGuard&& other) noexcept
      : entry_(std::exchange(other.entry_, nullptr)), own_(other.own_) {}
  ReceiveAliasGuard& operator=(ReceiveAliasGuard&& other) noexcept {
    std::swap(entry_, other.entry_);
    std::swap(own_, other.own_);
    return *this;
  }
  ~ReceiveAliasGuard();

  bool is_own() const noexcept { return entry_ != nullptr && own_; }
  bool is_shared() const noexcept { return entry_ != nullptr && !own_; }

  // Of the owner. The first two do nothing for other receives, the last two are for them.

  /// The message in place has been read, or none will come.
  void end() noexcept {
    if (is_own()) entry_->over.store(true, std::memory_order_release);
  }
  /// The owner has looked, and nothing has come yet.
  void count_look() noexcept {
    if (is_own()) entry_->looks.fetch_add(1, std::memory_order_release);
  }
  bool over() const noexcept { return entry_->over.load(std::memory_order_acquire); }
  unsigned looks() const noexcept { return entry_->looks.load(std::memory_order_acquire); }

 private:
  struct Entry {
    const std::byte* first = nullptr;
    const std::byte* end = nullptr;
    int shares = 1;  ///< under the lock of all entries
    std::atomic<bool> over = false;
    std::atomic<unsigned> looks = 0;
  };
  struct Entries;

  ReceiveAliasGuard(Entry& entry, bool own) noexcept : entry_(&entry), own_(own) {}

  Entry* entry_ = nullptr;
  bool own_ = false;
};

}  // namespace typewarp::transport
