// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/flags.hpp"

#include <typewarp/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// Throws GpuError unless the driver has operations of streams on words of memory.
void require_stream_operations();

enum class WordAction : std::uint8_t { await_flag, await_word, store_flag, store_word };
struct WordOperation {
  WordAction action;
  const void* place;
  std::uint64_t value;
};

/// Such operations, given to a stream as often as there are enough of them. Precondition:
/// require_stream_operations().
class StreamOperations {
 public:
  /// Of that device; -1: of the current one.
  explicit StreamOperations(Stream stream, int device = -1) noexcept : stream_(stream), device_(device) {}

  /// Waits until the flag is 1.
  void await(const Flag* flag) { add({WordAction::await_flag, flag, 1}); }
  /// Waits until the word is at least `value`.
  void await(const std::uint64_t* word, std::uint64_t value) { add({WordAction::await_word, word, value}); }
  void store(Flag* flag, Flag value) { add({WordAction::store_flag, flag, value}); }
  void store(std::uint64_t* word, std::uint64_t value) { add({WordAction::store_word, word, value}); }
  /// Gives the stream what it has not got yet. Throws GpuError.
  void flush();

 private:
  /// The driver takes less than 256 at a time.
  static constexpr std::size_t most = 255;

  void add(const WordOperation& operation) {
    if (count_ == most) flush();
    operations_[count_++] = operation;
  }

  Stream stream_;
  int device_;
  std::array<WordOperation, most> operations_;
  std::size_t count_ = 0;
};

}  // namespace typewarp::gpu
