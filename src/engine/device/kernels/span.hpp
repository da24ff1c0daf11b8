// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include "engine/runtime/device_counter.hpp"

#include <algorithm>
#include <cstdint>

namespace typewarp::gpu {

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

}  // namespace typewarp::gpu
