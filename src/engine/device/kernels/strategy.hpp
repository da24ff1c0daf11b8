// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace typewarp::gpu {

/// Bytes of the packed side that a thread moves at a time.
inline constexpr int wide = 16;
/// Bytes that one launch moves at most, so that indices have 32 bits.
inline constexpr std::int64_t launch_limit = std::int64_t{1} << 30;

/// How a kernel goes through a layout.
enum class KernelStrategy {
  words,       ///< word by word, each thread one
  deep_words,  ///< word by word, each thread several at a time
  staged,      ///< word by word, with small words gathered into wide ones in shared memory
  pieces,  ///< many small words at a time, where runs are longer than the words that their alignment allows
};
/// Words of less than 1 << staged_words bytes are staged or moved in pieces.
inline constexpr int staged_words = 2;
/// The bytes of the units of a span that are moved so.
constexpr int unit_bytes(KernelStrategy strategy, int word_log2) {
  return strategy == KernelStrategy::words || strategy == KernelStrategy::deep_words ? 1 << word_log2 : wide;
}

}  // namespace typewarp::gpu
