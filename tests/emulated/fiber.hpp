// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace emulated {

/// A stack of its own, on which a function runs, rests and goes on. From start to end it is in one thread.
class Fiber {
 public:
  using Body = void (*)(void* data);

  /// One that rests, of all that the process has; they are never destroyed.
  static Fiber& take();
  /// Its body has ended.
  static void give(Fiber& fiber);

  /// Runs the body until it rests or ends.
  void start(Body body, void* data);
  /// Goes on with a body that rests.
  void resume();
  /// Called by the body: returns when it is resumed.
  void rest();

 private:
  /// One side of a switch, and what sanitizers know of it.
  struct Side {
    void* stack_pointer = nullptr;
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake_stack = nullptr;
  };

  Fiber();
  [[noreturn]] static void enter();
  static void leave(Side& from, const Side& to);

  Side inside_, outside_;
  Body body_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace emulated
