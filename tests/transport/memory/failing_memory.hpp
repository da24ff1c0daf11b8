// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::test {

/// While this lives, the `nth` allocation of this thread from now on (1, 2, ...), and so many in all, throw
/// std::bad_alloc. One at a time. The program has its own `operator new` for that.
class FailingMemory {
 public:
  explicit FailingMemory(int nth, int times = 1) noexcept;
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
  ~FailingMemory();

  /// Whether that allocation has come.
  bool happened() const noexcept;
};

}  // namespace typewarp::test
