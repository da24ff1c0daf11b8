// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace typewarp {

/// A `T` that is never destroyed, in static memory: for what MPI_Finalize, or threads, may use after static
/// objects have ended. It takes no other memory than `T` itself, so that its first use cannot fail where
/// memory is short.
template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() { new (room_) T; }
  NeverDestroyed& operator=(NeverDestroyed&&) = delete;

  T& get() noexcept { return *std::launder(reinterpret_cast<T*>(room_)); }

 private:
  alignas(T) std::byte room_[sizeof(T)];
};

/// Static room for a `T` that is made and destroyed by hand: nothing of it is destroyed as the process ends.
template <class T>
class StaticRoom {
 public:
  constexpr StaticRoom() noexcept = default;
  StaticRoom& operator=(StaticRoom&&) = delete;

  /// Precondition: there is none.
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    made_ = new (room_) T(std::forward<Arguments>(arguments)...);
    return *made_;
  }
  /// Destroys what there is, which is not found meanwhile.
  void reset() noexcept {
    if (T* const made = std::exchange(made_, nullptr)) std::destroy_at(made);
  }
  explicit operator bool() const noexcept { return made_ != nullptr; }
  T* operator->() const noexcept { return made_; }

 private:
  T* made_ = nullptr;
  alignas(T) std::byte room_[sizeof(T)]{};
};

}  // namespace typewarp
