// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace typewarp::transport {

class Arena;

/// Some bytes of an arena, back on destruction; or none.
class Room {
 public:
  Room() = default;
  Room(Room&& other) noexcept { swap(other); }
  Room& operator=(Room&& other) noexcept {
    Room(std::move(other)).swap(*this);
    return *this;
  }
  ~Room();

  explicit operator bool() const noexcept { return home_ != nullptr; }
  std::byte* data() const noexcept;
  /// From the beginning of the arena's memory.
  std::int64_t place() const noexcept { return place_; }

 private:
  friend class Arena;
  Room(Arena& home, std::int64_t place, std::int64_t bytes) noexcept
      : home_(&home), place_(place), bytes_(bytes) {}
  void swap(Room& other) noexcept {
    std::swap(home_, other.home_);
    std::swap(place_, other.place_);
    std::swap(bytes_, other.bytes_);
  }

  Arena* home_ = nullptr;
  std::int64_t place_ = 0;
  std::int64_t bytes_ = 0;
};

/// Memory that is given out in rooms of any length, where Chunks are all equal. Thread safe.
class Arena {
 public:
  /// `memory` must outlive this, and this the rooms.
  Arena(std::byte* memory, std::int64_t bytes);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() = default;

  /// No room if there is no gap that is long enough. Rooms begin at multiples of `alignment`.
  Room take(std::int64_t bytes);
  /// How many there are.
  std::size_t rooms() const;

  /// What suits the widest words, and lets rooms share no sector.
  static constexpr std::int64_t alignment = 256;

 private:
  friend class Room;
  struct Gap {
    std::int64_t place, bytes;
  };
  void give(std::int64_t place, std::int64_t bytes) noexcept;

  std::byte* memory_;
  mutable std::mutex mutex_;
  std::size_t rooms_ = 0;
  std::vector<Gap> gaps_;  ///< in order, none next to another
};

}  // namespace typewarp::transport
