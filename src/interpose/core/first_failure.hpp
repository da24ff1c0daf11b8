// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

namespace typewarp::interpose {

/// What went wrong first in a call that goes on all the same, since other ranks wait for this one.
class FirstFailure {
 public:
  template <class Act>
  void attempt(Act act) noexcept {
    try {
      act();
    } catch (...) {
      if (!what_) what_ = std::current_exception();
    }
  }
  explicit operator bool() const noexcept { return what_ != nullptr; }
  const std::exception_ptr& what() const noexcept { return what_; }

 private:
  std::exception_ptr what_;
};

}  // namespace typewarp::interpose
