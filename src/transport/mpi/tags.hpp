// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/lent.hpp"

#include <cstddef>
#include <mutex>
#include <vector>

namespace typewarp::transport {

class Tags;

/// A tag of the private communicator that no other transfer into this process uses. It is given back when no
/// message with it can come any more, and abandoned where one still may, or its Tags are gone.
class Tag : public Lent<Tags, int> {
 public:
  using Lent::Lent;
  Tag() noexcept : Lent(-1) {}
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
  friend Lent<Tags, int>;
  void give(int value) noexcept;

  mutable std::mutex mutex_;
  std::vector<int> free_;
  std::size_t made_ = 0;
  int largest_;
};

}  // namespace typewarp::transport
