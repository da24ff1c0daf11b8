// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/span.hpp"

#include <gtest/gtest.h>

namespace typewarp::cuda {
namespace {

TEST(Span, CoversEveryRangeOnceWithWholeWordsAndFewBytes) {
  for (const int word : {1, 2, 4, 8, 16}) {
    for (std::int64_t begin = 0; begin < 40; ++begin) {
      for (std::int64_t end = begin + 1; end < 80; ++end) {
        const Span span({begin, end}, word);
        SCOPED_TRACE(testing::Message() << "[" << begin << ", " << end << ") in words of " << word);
        ASSERT_EQ(span.head_begin, begin);
        ASSERT_GE(span.head_end, begin);
        ASSERT_LT(span.head_end - begin, word);
        ASSERT_EQ(span.tail_end, end);
        ASSERT_LE(span.tail_begin, end);
        ASSERT_LT(end - span.tail_begin, word);
        if (span.first < span.last) {
          ASSERT_EQ(span.head_end, span.first * word);
          ASSERT_EQ(span.tail_begin, span.last * word);
        } else {
          ASSERT_EQ(span.first, span.last);
          ASSERT_EQ(span.head_end, span.tail_begin);
        }
      }
    }
  }
}

}  // namespace
}  // namespace typewarp::cuda
