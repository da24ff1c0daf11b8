// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/memory.hpp"

#include "common/gpu/gpu.hpp"

#include <cstring>
#include <new>

namespace apps {
namespace {

using typewarp::MemoryKind;

constexpr std::align_val_t cache_line{64};

std::byte* allocate(MemoryKind kind, std::int64_t bytes) {
  if (kind != MemoryKind::host) {
    return static_cast<std::byte*>(gpu::allocate(kind, bytes));
  }
  const std::size_t size = static_cast<std::size_t>(bytes);
  return static_cast<std::byte*>(std::memset(::operator new(size, cache_line), 0, size));
}

}  // namespace

bool computed_by_gpu(MemoryKind kind) noexcept {
  return kind == MemoryKind::device || kind == MemoryKind::managed;
}

Buffer::Buffer(MemoryKind kind, std::int64_t bytes) : memory_(allocate(kind, bytes), Release{kind}) {}

void Buffer::Release::operator()(std::byte* memory) const noexcept {
  if (kind == MemoryKind::host) {
    ::operator delete(memory, cache_line);
  } else {
    gpu::release(kind, memory);
  }
}

OwnedStream::OwnedStream(bool needed) : stream_(needed ? gpu::create_stream() : nullptr) {}

OwnedStream::~OwnedStream() {
  if (stream_ != nullptr) {
    gpu::destroy_stream(stream_);
  }
}

void OwnedStream::synchronize() const {
  if (stream_ != nullptr) {
    gpu::synchronize(stream_);
  }
}

void copy_rows(std::byte* destination, std::int64_t destination_pitch, const std::byte* source,
               std::int64_t source_pitch, std::int64_t width, std::int64_t rows, const OwnedStream& stream) {
  if (stream.get() != nullptr) {
    return gpu::copy_rows(destination, destination_pitch, source, source_pitch, width, rows, stream.get());
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(destination + row * destination_pitch, source + row * source_pitch,
                static_cast<std::size_t>(width));
  }
}

void enqueue_copy(void* destination, const void* source, std::int64_t bytes, const OwnedStream& stream) {
  if (bytes == 0) return;  // pointers to nothing may be null
  if (stream.get() != nullptr) return gpu::copy(destination, source, bytes, stream.get());
  std::memcpy(destination, source, static_cast<std::size_t>(bytes));
}

void copy_bytes(void* destination, const void* source, std::int64_t bytes, const OwnedStream& stream) {
  enqueue_copy(destination, source, bytes, stream);
  stream.synchronize();
}

}  // namespace apps
