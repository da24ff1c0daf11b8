// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace typewarp::transport {

class Tags;

/// A tag of the private communicator that no other transfer into this process has; back on destruction, when
/// no message with it can come any more.
class Tag {
 public:
  Tag() = default;
  Tag(Tag&& other) noexcept : home_(std::exchange(other.home_, nullptr)), value_(other.value_) {}
  Tag& operator=(Tag&& other) noexcept {
    std::swap(home_, other.home_);
    std::swap(value_, other.value_);
    return *this;
  }
  ~Tag();

  int value() const noexcept { return value_; }
  /// It never comes back: messages with it may still come, or those that it is from are gone.
  void abandon() noexcept { home_ = nullptr; }

 private:
  friend class Tags;
  Tag(Tags& home, int value) noexcept : home_(&home), value_(value) {}

  Tags* home_ = nullptr;
  int value_ = -1;
};

/// The tags `first` to `largest`, each taken once at a time. A tag need be unique only in the process that
/// receives with it. Thread safe.
class Tags {
 public:
  /// One is left for what happens before there are messages, and may not come to an end.
  static constexpr int reserved = 0;
  static constexpr int first = 1;

  explicit Tags(int largest) : largest_(largest) {}
  /// Throws Error if all are taken.
  Tag take();
  std::size_t taken() const;

 private:
  friend class Tag;
  void give(int value) noexcept;

  mutable std::mutex mutex_;
  std::vector<int> free_;
  std::size_t made_ = 0;
  int largest_;
};

}  // namespace typewarp::transport
