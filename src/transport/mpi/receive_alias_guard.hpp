// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace typewarp::transport {

/// A receive's share in the user's memory, where the MPI may put an announcement. Who else writes there
/// before it is read destroys that, and its sender waits for ever: a program does so that receives several
/// messages into one buffer. So of several receives into the same memory, by whatever communicators, only the
/// first has it as its own, and receives in place; as long as it or one that shares it with it is there, no
/// other receive gets the memory. Move-only; thread safe.
class ReceiveAliasGuard {
 public:
  /// These bytes, or, where they would overlap another's own, a share in those.
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

  // Of the receive whose own it is. The first two do nothing for others, the last two are for them.

  /// What has come in place has been read, or nothing will come.
  void end() noexcept {
    if (is_own()) entry_->over.store(true, std::memory_order_release);
  }
  /// Nothing has come yet.
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
