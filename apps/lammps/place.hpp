// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/memory.hpp"
#include "common/place.hpp"
#include "lammps/work.hpp"

#include <typewarp/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lammps {

using apps::Place;

/// The first `count` rows of a list: the CPU takes them row by row. A thread of a GPU takes a word, so that
/// threads side by side write words side by side.
inline void gather(const Place& place, const GatherRows& rows, std::int64_t count) {
  if (place.on_gpu()) return place.run(GatherWords{rows}, count * rows.words);
  place.run(rows, count);
}

/// Memory that is kept while it is large enough.
class Room {
 public:
  /// At least `bytes`, of one kind in all calls. Nothing uses the memory so far any more if it is too small.
  void reserve(typewarp::MemoryKind kind, std::int64_t bytes) {
    if (holds(bytes)) return;
    buffer_.reset();
    buffer_ = std::make_unique<apps::Buffer>(kind, bytes + bytes / 4);
    capacity_ = bytes + bytes / 4;
  }
  bool holds(std::int64_t bytes) const noexcept { return buffer_ != nullptr && bytes <= capacity_; }
  std::byte* data() const noexcept { return buffer_->data(); }

 private:
  std::unique_ptr<apps::Buffer> buffer_;
  std::int64_t capacity_ = 0;
};

/// Values that the host decides on, and that work reads where it runs.
template <typename T>
class Mirror {
 public:
  /// Waits until no work reads the previous values.
  void assign(std::vector<T> values, const Place& place) {
    values_ = std::move(values);
    on_gpu_ = place.on_gpu();
    if (!on_gpu_) return;
    const auto bytes = static_cast<std::int64_t>(values_.size() * sizeof(T));
    if (!room_.holds(bytes)) place.synchronize();
    room_.reserve(typewarp::MemoryKind::device, bytes);
    place.copy(room_.data(), values_.data(), bytes);
    place.synchronize();
  }

  /// On the host.
  const std::vector<T>& values() const noexcept { return values_; }
  std::int64_t size() const noexcept { return std::ssize(values_); }
  /// Where work runs.
  const T* data() const noexcept {
    return on_gpu_ ? reinterpret_cast<const T*>(room_.data()) : values_.data();
  }

 private:
  std::vector<T> values_;
  bool on_gpu_ = false;
  Room room_;
};

}  // namespace lammps
