// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/run.hpp"
#include "common/memory.hpp"

#include <typewarp/engine.hpp>

#include <cstdint>
#include <vector>

namespace apps {

/// Where a program's data is, and what computes on it: the CPU, or a GPU in the order of one stream.
class Place {
 public:
  explicit Place(typewarp::MemoryKind kind) : kind_(kind), stream_(computed_by_gpu(kind)) {}

  typewarp::MemoryKind kind() const noexcept { return kind_; }
  bool on_gpu() const noexcept { return computed_by_gpu(kind_); }
  /// The kind of memory of the host that is copied to and from fastest.
  typewarp::MemoryKind staging_kind() const noexcept {
    return on_gpu() ? typewarp::MemoryKind::pinned : typewarp::MemoryKind::host;
  }
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
    enqueue_copy(destination, source, bytes, stream_);
  }

  /// `count` values of the place on the host.
  template <typename T>
  std::vector<T> fetched(const T* values, std::int64_t count) const {
    std::vector<T> result(static_cast<std::size_t>(count));
    copy_bytes(result.data(), values, count * static_cast<std::int64_t>(sizeof(T)), stream_);
    return result;
  }

 private:
  typewarp::MemoryKind kind_;
  OwnedStream stream_;
};

}  // namespace apps
