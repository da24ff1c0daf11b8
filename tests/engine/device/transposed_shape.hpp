// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/transpose.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <vector>

namespace typewarp::test {

/// A nested repetition whose levels lie in memory in another order than in the packed stream.
struct TransposedShape {
  gpu::Strided shape;
  std::int64_t size = 0;    ///< bytes of the packed stream
  std::int64_t extent = 0;  ///< bytes of memory from the lowest to the end of the highest
  std::int64_t origin = 0;  ///< of the first packed byte, from the lowest

  /// Where byte `packed` of the stream lies, from the lowest.
  std::int64_t offset(std::int64_t packed) const {
    std::int64_t result = origin;
    for (std::size_t i = 0; i < shape.depth; ++i) {
      result += packed % shape.levels[i].count * shape.levels[i].stride;
      packed /= shape.levels[i].count;
    }
    return result;
  }

  /// Of an array with `counts` in the order of the packed stream, whose axes lie in memory as `nearest_first`
  /// lists them, with a gap behind each, where `gap` says how many words.
  template <typename Gap>
  TransposedShape(std::int64_t run, int word, const std::vector<std::int64_t>& counts,
                  const std::vector<std::size_t>& nearest_first, Gap gap, bool reversed = false) {
    shape.levels[0] = {run, 1};
    shape.depth = counts.size() + 1;
    std::int64_t stride = run;
    size = run;
    for (const std::size_t axis : nearest_first) {
      stride += word * gap();
      const bool negative = reversed && axis % 2 == 0;
      shape.levels[axis + 1] = {counts[axis], negative ? -stride : stride};
      if (negative) origin += (counts[axis] - 1) * stride;
      stride *= counts[axis];
      size *= counts[axis];
    }
    extent = stride;
  }
};

inline TransposedShape matrix(std::int64_t columns, std::int64_t rows, std::int64_t run, int word) {
  return {run, word, {columns, rows}, {1, 0}, [] { return 0; }};
}

inline TransposedShape random_transposed(Random& random, int word, std::int64_t most_words) {
  const auto depth = static_cast<std::size_t>(random.range(2, 5));
  std::vector<std::int64_t> counts(depth, 2);
  std::vector<std::size_t> order(depth);
  const std::int64_t run = random.one_in(3) ? random.range(2, 5) : 1;
  std::int64_t words = run << depth;
  for (std::size_t i = 0; i < depth; ++i) order[i] = i;
  for (int tries = 0; tries < 12; ++tries) {
    const auto i = static_cast<std::size_t>(random.range(0, static_cast<std::int64_t>(depth) - 1));
    const std::int64_t longer = random.one_in(2) ? 2 * counts[i] : counts[i] + random.range(1, 40);
    if (words / counts[i] * longer > most_words) continue;
    words = words / counts[i] * longer;
    counts[i] = longer;
  }
  random.shuffle(order);
  const bool gaps = random.one_in(2);
  return {
      run * word,      word, counts, order, [&] { return gaps && random.one_in(2) ? random.range(0, 9) : 0; },
      random.one_in(4)};
}

inline std::vector<ByteRange> ranges(Random& random, std::int64_t size) {
  std::vector<ByteRange> result{{0, size}};
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = random.range(0, size - 1);
    result.push_back({begin, random.range(begin + 1, size)});
  }
  const std::int64_t begin = random.range(0, size - 1);
  result.push_back({begin, std::min(size, begin + random.range(1, 40))});
  return result;
}

}  // namespace typewarp::test
