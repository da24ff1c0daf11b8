// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/gpu.hpp"
#include "common/memory.hpp"
#include "lammps/gpu/gpu.hpp"

#include <typewarp/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
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

  /// Between memory of the place and of the host, or within either; enqueued if there is a stream.
  void copy(void* destination, const void* source, std::int64_t bytes) const {
    if (on_gpu()) return apps::gpu::copy(destination, source, bytes, stream_.get());
    if (bytes > 0) std::memcpy(destination, source, static_cast<std::size_t>(bytes));
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

/// Values that the host decides on, and that work reads where it runs.
template <typename T>
class Mirror {
 public:
  /// Waits until no work reads the previous values.
  void assign(std::vector<T> values, const Place& place) {
    values_ = std::move(values);
    if (!place.on_gpu()) return;
    const auto bytes = static_cast<std::int64_t>(values_.size() * sizeof(T));
    if (!buffer_ || bytes > capacity_) {
      place.synchronize();
      capacity_ = bytes + bytes / 4;
      buffer_.emplace(typewarp::MemoryKind::device, capacity_);
    }
    place.copy(buffer_->data(), values_.data(), bytes);
    place.synchronize();
  }

  /// On the host.
  const std::vector<T>& values() const noexcept { return values_; }
  std::int64_t size() const noexcept { return std::ssize(values_); }
  /// Where work runs.
  const T* data() const noexcept {
    return buffer_ ? reinterpret_cast<const T*>(buffer_->data()) : values_.data();
  }

 private:
  std::vector<T> values_;
  std::optional<apps::Buffer> buffer_;
  std::int64_t capacity_ = 0;
};

}  // namespace lammps
