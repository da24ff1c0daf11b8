// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace typewarp::plan {

/// Leaves new elements unset where std::allocator would zero them: a list of millions of blocks is written
/// once, not twice.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };

  void construct(T* place) noexcept { ::new (static_cast<void*>(place)) T; }
  template <typename... Arguments>
  void construct(T* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

using Lookaside = std::vector<std::byte, UnsetAllocator<std::byte>>;

}  // namespace typewarp::plan
