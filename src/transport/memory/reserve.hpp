// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>

namespace typewarp::transport {

/// Memory that this process has put aside, for when there is none left.
class Reserve {
 public:
  /// Puts it aside where it is not; without memory for that, later.
  static void fill() noexcept;

  /// For as long as this lives, others can have it.
  Reserve() noexcept;
  Reserve& operator=(Reserve&&) = delete;
  ~Reserve() { fill(); }
};

/// Calls `act`, for which other ranks wait: where it lacks memory, once more, with what was put aside. Where
/// it throws std::bad_alloc, it must have done nothing.
template <class Act>
auto insist(Act act) {
  try {
    return act();
  } catch (const std::bad_alloc&) {
    const Reserve reserve;
    return act();
  }
}

}  // namespace typewarp::transport
