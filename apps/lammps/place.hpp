// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/memory.hpp"
#include "lammps/gpu/gpu.hpp"

#include <typewarp/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lammps {

/// Where atoms are, and what computes on them: the CPU, or a GPU in the order of one stream.
class Place {
 public:
  explicit Place(typewarp::MemoryKind kind) : kind_(kind), stream_(apps::computed_by_gpu(kind)) {}

  typewarp::MemoryKind kind() const noexcept { return kind_; }
  bool on_gpu() const noexcept { return apps::computed_by_gpu(kind_); }
  typewarp::Stream stream() const noexcept { return stream_.get(); }
  void synchronize() const { stream_.synchronize(); }

  /// work(i) for i from 0 to `count`.
  template <typename Work>
  void run(const Work& work, std::int64_t count) const {
    if (on_gpu()) return gpu::run(work, count, stream_.get());
    for (std::int64_t i = 0; i < count; ++i) {
      work(i);
    }
  }

  /// The first `count` rows of a list: the CPU takes them row by row. A thread of a GPU takes a word, so that
  /// threads side by side write words side by side.
  void gather(const GatherRows& rows, std::int64_t count) const {
    if (on_gpu()) return gpu::run(GatherWords{rows}, count * rows.words, stream_.get());
    run(rows, count);
  }

  /// Between memory of the place and of the host, or within either; enqueued if there is a stream.
  void copy(void* destination, const void* source, std::int64_t bytes) const {
    apps::enqueue_copy(destination, source, bytes, stream_);
  }

  /// `count` values of the place on the host.
  template <typename T>
  std::vector<T> fetched(const T* values, std::int64_t count) const {
    std::vector<T> result(static_cast<std::size_t>(count));
    apps::copy_bytes(result.data(), values, count * static_cast<std::int64_t>(sizeof(T)), stream_);
    return result;
  }

 private:
  typewarp::MemoryKind kind_;
  apps::OwnedStream stream_;
};

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
