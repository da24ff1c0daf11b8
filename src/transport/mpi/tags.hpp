// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace typewarp::transport {

class Tags;

/// A tag of the private communicator that no other transfer into this process uses. The destructor gives it
/// back: by then no message with it can come any more.
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
  /// Never gives it back: messages with it may still come, or its Tags are gone.
  void abandon() noexcept { home_ = nullptr; }

 private:
  friend class Tags;
  Tag(Tags& home, int value) noexcept : home_(&home), value_(value) {}

  Tags* home_ = nullptr;
  int value_ = -1;
};

/// The tags from `first` to `largest`. A tag must be unique only in the process that receives with it. Thread
/// safe.
class Tags {
 public:
  /// For trial messages when a session is made, which may never complete.
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
