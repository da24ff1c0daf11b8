// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <algorithm>

namespace typewarp::cuda {

/// A byte range of the packed stream as the words wholly inside it and the bytes before and after them. A
/// range without a whole word is all head, or head and tail on both sides of a word's border.
struct Span {
  std::int64_t first, last;           ///< words [first, last)
  std::int64_t head_begin, head_end;  ///< bytes
  std::int64_t tail_begin, tail_end;  ///< bytes

  Span(ByteRange range, int word)
      : first((range.begin + word - 1) / word),
        last(std::max(range.end / word, first)),
        head_begin(range.begin),
        head_end(std::min(first * word, range.end)),
        tail_begin(std::min(last * word, range.end)),
        tail_end(range.end) {}
};

}  // namespace typewarp::cuda
