// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace apps {

/// Whether a GPU computes on memory of this kind; the CPU does on the others.
bool computed_by_gpu(typewarp::MemoryKind kind) noexcept;

/// Zeroed memory of any kind, on the current GPU where it is CUDA's.
class Buffer {
 public:
  /// Throws std::bad_alloc or typewarp::Error.
  Buffer(typewarp::MemoryKind kind, std::int64_t bytes);

  std::byte* data() const noexcept { return memory_.get(); }

 private:
  struct Release {
    typewarp::MemoryKind kind;
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Release> memory_;
};

/// The stream of a program that has one: a CUDA stream where any memory is CUDA's, else none.
class OwnedStream {
 public:
  explicit OwnedStream(bool needed);
  ~OwnedStream();
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;

  typewarp::Stream get() const noexcept { return stream_; }
  /// Returns when all enqueued work is done.
  void synchronize() const;

 private:
  typewarp::Stream stream_ = nullptr;
};

/// Copies `rows` pieces of `width` bytes between memory of any kinds, a pitch apart on either side: enqueues
/// that on the stream, if there is one.
void copy_rows(std::byte* destination, std::int64_t destination_pitch, const std::byte* source,
               std::int64_t source_pitch, std::int64_t width, std::int64_t rows, const OwnedStream& stream);

/// Copies between memory of any kinds: enqueues that on the stream, if there is one.
void enqueue_copy(void* destination, const void* source, std::int64_t bytes, const OwnedStream& stream);

/// The same; the bytes are in place when it returns.
void copy_bytes(void* destination, const void* source, std::int64_t bytes, const OwnedStream& stream);

}  // namespace apps
