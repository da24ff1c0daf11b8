// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/device/layout/view.hpp"
#include "engine/runtime/enqueue.hpp"

#include <typewarp/plan.hpp>

#include <algorithm>
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
  pieces,  ///< many small words at a time, where runs are longer than the words that their alignment allows
};
/// Words of less than 1 << small_words bytes may be moved in pieces.
inline constexpr int small_words = 2;
/// The bytes of the units of a span that are moved so.
constexpr int unit_bytes(KernelStrategy strategy, int word_log2) {
  return strategy == KernelStrategy::pieces ? wide : 1 << word_log2;
}

/// A byte range of the packed stream as the whole units inside it and the bytes before and after them. A unit
/// is some words, and begins where `phase` says; everything counts from the beginning of the word in which
/// the range begins.
struct Span {
  std::int64_t origin;  ///< packed byte of word 0: a multiple of the word
  std::uint32_t first;  ///< bytes from the origin to the first unit: a multiple of the word
  std::uint32_t units;
  std::uint32_t head_begin, head_end;  ///< bytes from the origin
  std::uint32_t tail_begin, tail_end;  ///< bytes from the origin
  DeviceCounter counter;

  /// Units begin `phase` bytes after a multiple of their size: a multiple of the word, less than the unit. A
  /// range spans less than 2 GiB.
  Span(ByteRange range, int word, int unit, std::int64_t phase) : origin(range.begin / word * word) {
    const std::int64_t begin = range.begin - origin;
    const std::int64_t end = range.end - origin;
    // Of the numbers that are phase modulo unit, counted from byte 0 of the stream, the first one in range.
    const std::int64_t past = (range.begin - phase) % unit;
    const std::int64_t start = begin + (past <= 0 ? -past : unit - past);
    const std::int64_t whole = end > start ? (end - start) / unit : 0;
    first = static_cast<std::uint32_t>(start);
    units = static_cast<std::uint32_t>(whole);
    head_begin = static_cast<std::uint32_t>(begin);
    head_end = static_cast<std::uint32_t>(std::min(start, end));
    tail_begin = static_cast<std::uint32_t>(std::min(start + whole * unit, end));
    tail_end = static_cast<std::uint32_t>(end);
  }
};

/// How a move is spread over a device: the numbers were measured on an H200 (docs/internals/measuring.md).
struct LaunchPolicy {
  int threads = 256;  ///< of one block
  /// Bytes that the threads of a multiprocessor load at a time, about, for OccupancyLimit::link: of regular
  /// layouts, in words of 8 bytes and more. Measured between two H100 (docs/internals/protocols.md,
  /// "Occupancy").
  int paced_bytes = 8192;
  /// What a thread of deep_words loads before it stores: enough to cover the latency of memory.
  int bytes_in_flight = 32;
  int words_in_flight = 4;
};
inline constexpr LaunchPolicy launch_policy;

/// Words that a thread loads before it stores, where it moves several.
TYPEWARP_HD constexpr int words_in_flight(int word_log2) {
  const int fit = launch_policy.bytes_in_flight >> word_log2;
  return fit > launch_policy.words_in_flight ? launch_policy.words_in_flight : fit > 1 ? fit : 1;
}

// Each enqueues one kernel on the context's device, which is current, and throws GpuError if that fails.
// Bytes `span` are moved; words are 1 << word_log2 bytes.

/// How a kernel runs.
struct Launch {
  const LaunchContext& context;
  KernelStrategy strategy = KernelStrategy::words;
  /// Bytes of shared memory of each block, for nothing but to have fewer at a time.
  std::size_t reserved = 0;
};

/// Between a layout and packed bytes; `packed` is where the span's origin lies or would lie. The span's units
/// are unit_bytes(), and lie at multiples of that in memory.
void launch_pack(const Launch& launch, std::byte* packed, View source, Lookup lookup, Span span,
                 int word_log2);
void launch_unpack(const Launch& launch, View destination, Lookup lookup, const std::byte* packed, Span span,
                   int word_log2);

}  // namespace typewarp::gpu
