// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies whose short words become wider ones, without a kernel.

#include "engine/device/batch/run_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace typewarp::gpu {
namespace {

constexpr std::int64_t rows = 4, runs = 300, row_bytes = 32768;

/// What ViewedCopy asks of a side: runs of `run` bytes, `stride` bytes apart in rows `row_stride` bytes
/// apart.
struct Runs {
  std::int64_t base, run, stride, row_stride;

  std::int64_t alignment() const { return base | run | stride | row_stride; }
  View view(ByteRange, int word_log2, Lookup& lookup) const {
    lookup = Lookup::none;
    View view;
    view.base = reinterpret_cast<std::byte*>(base);
    const auto level = [&](std::int64_t count, std::int64_t bytes) {
      if (count == 1) return;
      view.dividers[view.depth] = plan::Divider<std::uint32_t>(count);
      view.strides[view.depth++] = bytes;
    };
    level(run >> word_log2, 1 << word_log2);
    level(runs, stride);
    level(rows, row_stride);
    return view;
  }
};

using Bytes = std::vector<std::pair<std::byte*, std::byte*>>;  ///< destination and source, sorted

void add(Bytes& bytes, const ViewedCopy& copy) {
  for (std::uint32_t i = 0; i < copy.words; ++i) {
    std::byte* const to = copy.destination.view.at_any(copy.destination.lookup, i, copy.word_log2);
    std::byte* const from = copy.source.view.at_any(copy.source.lookup, i, copy.word_log2);
    for (int k = 0; k < 1 << copy.word_log2; ++k) bytes.emplace_back(to + k, from + k);
  }
}

Bytes bytes_of(const std::vector<ViewedCopy>& copies) {
  Bytes bytes;
  for (const ViewedCopy& copy : copies) add(bytes, copy);
  std::ranges::sort(bytes);
  return bytes;
}

std::uint32_t words_of(const std::vector<ViewedCopy>& copies) {
  std::uint32_t words = 0;
  for (const ViewedCopy& copy : copies) words += copy.words;
  return words;
}

ViewedCopy copy_of(const Runs& to, const Runs& from) { return {to, from, rows * runs * to.run}; }

TEST(RunSplit, OfEveryLengthMovesTheSameBytesInFewerWords) {
  for (std::int64_t run = 1; run <= 48; ++run) {
    const Runs to{4096, run, 64, row_bytes}, from{1 << 20, run, 80, 2 * row_bytes};
    const ViewedCopy copy = copy_of(to, from);
    const std::vector<ViewedCopy> copies = in_wider_words(copy);
    EXPECT_EQ(bytes_of(copies), bytes_of({copy})) << run;
    // Words of 16 bytes, then one of each power of two; as they were where these are several.
    const auto rest = std::popcount(static_cast<std::uint64_t>(run % 16));
    const bool is_split = copy.word_log2 < staged_words && rest + (run >= 16 ? 1 : 0) <= 2;
    const auto expected = is_split ? run / 16 + rest : run >> copy.word_log2;
    EXPECT_EQ(words_of(copies), rows * runs * expected) << run;
  }
}

TEST(RunSplit, WordsAreNoWiderThanRunsAllowOnEitherSide) {
  for (const std::int64_t aligned : {1, 2, 4, 8, 16}) {
    const Runs to{4096, 17, 24, row_bytes}, from{(1 << 20) + aligned, 17, 48, 2 * row_bytes};
    const ViewedCopy copy = copy_of(to, from);
    const std::vector<ViewedCopy> copies = in_wider_words(copy);
    EXPECT_EQ(bytes_of(copies), bytes_of({copy}));
    const std::int64_t wide = std::min<std::int64_t>(aligned, 8);
    EXPECT_EQ(words_of(copies), rows * runs * (16 / wide + 1));
    for (const ViewedCopy& each : copies) EXPECT_LE(1 << each.word_log2, wide);
  }
}

TEST(RunSplit, LeavesWhatHasNoEqualRunsOrWouldTakeMoreTiles) {
  const Runs to{4096, 17, 24, row_bytes};
  const Runs other{1 << 20, 51, 64, 2 * row_bytes};
  ViewedCopy started = copy_of(to, to);
  started.source.view.start = 1;
  ViewedCopy listed = copy_of(to, to);
  listed.destination.lookup = Lookup::list;
  ViewedCopy cut_short = copy_of(to, to);
  --cut_short.words;
  ViewedCopy of_few_tiles = copy_of({4096, 31, 32, row_bytes}, {1 << 20, 31, 32, row_bytes});
  of_few_tiles.words = 31 * 30;
  for (const ViewedCopy& copy : {copy_of(to, other), started, listed, cut_short, of_few_tiles}) {
    const std::vector<ViewedCopy> copies = in_wider_words(copy);
    ASSERT_EQ(copies.size(), 1U);
    EXPECT_EQ(copies[0].word_log2, copy.word_log2);
    EXPECT_EQ(copies[0].words, copy.words);
  }
}

}  // namespace
}  // namespace typewarp::gpu
