// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "copies.hpp"

#include "memory.hpp"
#include "streams.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace emulated {
namespace {

void check_side(const void* side, std::size_t bytes) {
  const auto found = allocation_of(side);
  if (!found || bytes == 0) return;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(side) - found->base);
  require(bytes <= found->bytes - offset);
}

bool is_pageable(const void* memory) { return !allocation_of(memory); }

using Word = std::uint32_t;

bool is_word(const std::byte* place) { return reinterpret_cast<std::uintptr_t>(place) % sizeof(Word) == 0; }

void store_word(std::byte* to, const std::byte* from) {
  auto* const read = reinterpret_cast<Word*>(const_cast<std::byte*>(from));
  std::atomic_ref(*reinterpret_cast<Word*>(to)).store(std::atomic_ref(*read).load());
}

/// As copy engines do: words at once, for kernels that wait for some.
void copy_row(std::byte* to, const std::byte* from, std::size_t width) {
  constexpr std::size_t most_flags = 64 * sizeof(Word);
  if (width % sizeof(Word) != 0 || width > most_flags || !is_word(to) || !is_word(from)) {
    std::memmove(to, from, width);
    return;
  }
  for (std::size_t at = 0; at < width; at += sizeof(Word)) store_word(to + at, from + at);
}

struct Rows {
  std::byte* to;
  const std::byte* from;
  std::size_t to_pitch, from_pitch, width, height;

  std::size_t reach(std::size_t pitch) const {
    return width == 0 || height == 0 ? 0 : (height - 1) * pitch + width;
  }
  void copy() const {
    for (std::size_t row = 0; row < height; ++row)
      copy_row(to + row * to_pitch, from + row * from_pitch, width);
  }
};

void check(const Rows& rows) {
  check_side(rows.to, rows.reach(rows.to_pitch));
  check_side(rows.from, rows.reach(rows.from_pitch));
}

/// As CUDA does: what is pageable has been read, or written, when the call returns.
void enqueue(Rows rows, cudaStream_t stream) {
  if (is_pageable(rows.from)) {
    const std::vector<std::byte> staged(rows.from, rows.from + rows.reach(rows.from_pitch));
    submit(stream, [rows, staged]() mutable {
      rows.from = staged.data();
      rows.copy();
    });
  } else {
    const Point point = submit(stream, [rows] { rows.copy(); });
    if (is_pageable(rows.to)) wait_for(point);
  }
}

Rows row_of(void* to, const void* from, std::size_t bytes) {
  return {static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, bytes, bytes, 1};
}

/// All or nothing.
void enqueue_all(const std::vector<Rows>& all, cudaStream_t stream) {
  for (const Rows& rows : all) check(rows);
  for (const Rows& rows : all) enqueue(rows, stream);
}

}  // namespace

void check_copy(const void* to, const void* from, std::size_t bytes) {
  check_side(to, bytes);
  check_side(from, bytes);
}

}  // namespace emulated

using namespace emulated;

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return call([&] { enqueue_all({row_of(to, from, bytes)}, stream); });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return call([&] {
    forbid_while_captured();
    check_copy(to, from, bytes);
    const Rows row = row_of(to, from, bytes);
    wait_for(submit(nullptr, [row] { row.copy(); }));
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t stream) {
  return call([&] {
    require(width <= to_pitch && width <= from_pitch);
    enqueue_all({{static_cast<std::byte*>(to), static_cast<const std::byte*>(from), to_pitch, from_pitch,
                  width, height}},
                stream);
  });
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return call([&] {
    require(bytes == 0 || !is_pageable(memory));
    check_side(memory, bytes);
    submit(stream, [=] { std::memset(memory, value, bytes); });
  });
}

cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
