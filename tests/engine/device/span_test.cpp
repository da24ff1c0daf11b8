// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/launch.hpp"

#include <gtest/gtest.h>

namespace typewarp::gpu {
namespace {

/// Whatever the kernel does with a span: heads, units, tails, in order, as places in the stream.
void check(ByteRange range, int word, int unit, int phase) {
  SCOPED_TRACE(testing::Message() << "[" << range.begin << ", " << range.end << ") in words of " << word
                                  << ", units of " << unit << " at " << phase);
  const Span span(range, word, unit, phase);
  ASSERT_EQ(span.origin % word, 0);
  ASSERT_LT(range.begin - span.origin, word);
  std::int64_t next = range.begin;
  ASSERT_EQ(span.origin + span.head_begin, next);
  ASSERT_LE(span.head_begin, span.head_end);
  ASSERT_LT(span.head_end - span.head_begin, static_cast<unsigned>(unit));
  next += span.head_end - span.head_begin;
  if (span.units > 0) {
    ASSERT_EQ(span.origin + span.first, next);
    ASSERT_EQ(span.first % static_cast<unsigned>(word), 0u);
    ASSERT_EQ((span.origin + span.first - phase) % unit, 0);
    next += std::int64_t{span.units} * unit;
  }
  ASSERT_EQ(span.origin + span.tail_begin, next);
  ASSERT_LE(span.tail_begin, span.tail_end);
  ASSERT_LT(span.tail_end - span.tail_begin, static_cast<unsigned>(unit));
  ASSERT_EQ(span.origin + span.tail_end, range.end);
}

TEST(Span, CoversEveryRangeOnceWithWholeUnitsAndFewBytes) {
  for (const int word : {1, 2, 4, 8, 16}) {
    for (const int unit : {word, 16}) {
      for (int phase = 0; phase < unit; phase += word) {
        for (std::int64_t begin = 0; begin < 40; ++begin) {
          for (std::int64_t end = begin + 1; end < 80; ++end) check({begin, end}, word, unit, phase);
        }
      }
    }
  }
}

TEST(Span, CountsFromTheBeginningOfALongStream) {
  const std::int64_t far = (std::int64_t{1} << 40) + 3;
  check({far, far + 100}, 2, 16, 6);
  check({far, far + (std::int64_t{1} << 30)}, 1, 16, 15);
}

}  // namespace
}  // namespace typewarp::gpu
