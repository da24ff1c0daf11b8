// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace typewarp {

/// A value that a `Home` has lent, or none. The destructor gives it back, by `Home::give(value)`.
template <class Home, class Value>
class Lent {
 public:
  Lent() = default;
  /// None, which is called `none`.
  explicit Lent(Value none) noexcept : value_(std::move(none)) {}
  /// What `home` lends.
  Lent(Home& home, Value value) noexcept : home_(&home), value_(std::move(value)) {}
  Lent(Lent&& other) noexcept : home_(std::exchange(other.home_, nullptr)), value_(other.value_) {}
  Lent& operator=(Lent&& other) noexcept {
    std::swap(home_, other.home_);
    std::swap(value_, other.value_);
    return *this;
  }
  ~Lent() {
    if (home_ != nullptr) home_->give(value_);
  }

  explicit operator bool() const noexcept { return home_ != nullptr; }
  const Value& value() const noexcept { return value_; }
  Value& value() noexcept { return value_; }
  /// Never gives it back.
  void abandon() noexcept { home_ = nullptr; }

 private:
  Home* home_ = nullptr;
  Value value_{};
};

}  // namespace typewarp
