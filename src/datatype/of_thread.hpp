// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>

namespace typewarp {

/// Has `end` called when this thread ends. Never, if the thread's objects have ended already. Throws
/// std::bad_alloc.
void at_thread_end(void (*end)());

/// The calling thread's own T, one for each type. Exit handlers and destructors of static objects run after
/// the thread's objects have ended, and may call this library: an object of a type with a destructor is then
/// gone if it is thread_local, while this one is made anew, and stays.
template <class T>
class OfThread {
 public:
  /// Null if the thread has none yet.
  static T* found() noexcept { return own_; }
  /// Throws std::bad_alloc.
  static T& get() {
    if (own_ == nullptr) {
      auto made = std::make_unique<T>();
      at_thread_end([] { delete std::exchange(own_, nullptr); });
      own_ = made.release();
    }
    return *own_;
  }

 private:
  static inline constinit thread_local T* own_ = nullptr;
};

}  // namespace typewarp
