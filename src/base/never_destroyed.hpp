// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <new>

namespace typewarp {

/// A `T` that is never destroyed, in static memory: for what MPI_Finalize, or threads, may use after static
/// objects have ended. It takes no other memory than `T` itself, so that its first use cannot fail where
/// memory is short.
template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() { new (room_) T; }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& get() noexcept { return *std::launder(reinterpret_cast<T*>(room_)); }

 private:
  alignas(T) std::byte room_[sizeof(T)];
};

}  // namespace typewarp
