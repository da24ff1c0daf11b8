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

/// Such operations, given to a stream as often as there are enough of them. Precondition:
/// require_stream_operations().
class StreamOperations {
 public:
  explicit StreamOperations(Stream stream) noexcept : stream_(stream) {}

  /// Waits until the flag is 1.
  void await(const Flag* flag) { add({WordAction::await_flag, flag, 1}); }
  void store(Flag* flag, Flag value) { add({WordAction::store_flag, flag, value}); }
  void store(std::uint64_t* word, std::uint64_t value) { add({WordAction::store_word, word, value}); }
  /// Gives the stream what it has not got yet. Throws GpuError.
  void flush();

 private:
  /// The driver takes less than 256 at a time.
  static constexpr std::size_t most = 255;
  enum class WordAction : std::uint8_t { await_flag, store_flag, store_word };
  struct WordOperation {
    WordAction action;
    const void* place;
    std::uint64_t value;
  };

  void add(const WordOperation& operation) {
    if (count_ == most) flush();
    operations_[count_++] = operation;
  }

  Stream stream_;
  std::array<WordOperation, most> operations_;
  std::size_t count_ = 0;
};

}  // namespace typewarp::gpu
