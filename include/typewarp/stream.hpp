// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>

// The types that the streams of GPU libraries point to.
struct CUstream_st;
struct ihipStream_t;

namespace typewarp {

/// What a cudaStream_t, or a hipStream_t, points to.
template <typename T>
concept StreamTarget = std::same_as<T, CUstream_st> || std::same_as<T, ihipStream_t>;

/// A stream of a GPU: a handle that the program owns, and that converts from and to a cudaStream_t and a
/// hipStream_t. Null is the legacy default stream. Ignored if no device is involved.
class Stream {
 public:
  constexpr Stream(std::nullptr_t = nullptr) noexcept {}
  template <StreamTarget T>
  constexpr Stream(T* handle) noexcept : handle_(handle) {}
  /// For handles in another form.
  explicit constexpr Stream(void* handle) noexcept : handle_(handle) {}

  template <StreamTarget T>
  operator T*() const noexcept {
    return static_cast<T*>(handle_);
  }
  constexpr void* get() const noexcept { return handle_; }
  explicit constexpr operator bool() const noexcept { return handle_ != nullptr; }

  friend constexpr bool operator==(Stream, Stream) noexcept = default;
  friend constexpr auto operator<=>(Stream, Stream) noexcept = default;
  template <StreamTarget T>
  friend constexpr bool operator==(Stream stream, T* handle) noexcept {
    return stream.handle_ == handle;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace typewarp
