// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies of short words that are counted with the holes between their runs, without a kernel.

#include "engine/device/batch/across_holes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace typewarp::gpu {
namespace {

constexpr std::int64_t runs = 1200;

/// What ViewedCopy asks of a side: runs of `run` bytes, `stride` bytes apart, in one row or two.
struct Runs {
  std::int64_t base, run, stride, row_stride = 0;

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
    level(row_stride == 0 ? runs : runs / 2, stride);
    level(row_stride == 0 ? 1 : 2, row_stride);
    return view;
  }
};

using Bytes = std::vector<std::pair<std::byte*, std::byte*>>;  ///< destination and source, sorted

/// As kernels go through it.
Bytes bytes_of(const ViewedCopy& copy) {
  Bytes bytes;
  for (std::uint32_t i = 0; i < copy.words; ++i) {
    if (copy.run != 0 && (copy.destination.view.start + i) % copy.run_stride >= copy.run) continue;
    std::byte* const to = copy.destination.view.at_any(copy.destination.lookup, i, copy.word_log2);
    std::byte* const from = copy.source.view.at_any(copy.source.lookup, i, copy.word_log2);
    for (int k = 0; k < 1 << copy.word_log2; ++k) bytes.emplace_back(to + k, from + k);
  }
  std::ranges::sort(bytes);
  return bytes;
}

ViewedCopy copy_of(const Runs& to, const Runs& from) { return {to, from, runs * to.run}; }

/// `words` words from word `first` on.
ViewedCopy part(ViewedCopy copy, std::uint32_t first, std::uint32_t words) {
  copy.destination.view.start = copy.source.view.start = first;
  copy.words = words;
  return copy;
}

TEST(AcrossHoles, ShortWordsOfEveryRunMoveTheSameBytes) {
  for (std::int64_t run = 1; run <= 48; ++run) {
    const Runs to{4096, run, 64}, from{1 << 20, run, 64};
    const ViewedCopy copy = copy_of(to, from);
    const ViewedCopy across = across_holes(copy);
    EXPECT_EQ(bytes_of(across), bytes_of(copy)) << run;
    const bool is_short = copy.word_log2 < small_words && run >= 16;
    EXPECT_EQ(across.run, is_short ? run : 0);
    EXPECT_EQ(across.tiles(),
              is_short ? (runs * 64 - (64 - run) + link_sector + hole_tile - 2) / hole_tile : copy.tiles());
  }
}

TEST(AcrossHoles, PartsBeginAndEndAnywhere) {
  const Runs to{4096, 34, 48}, from{(1 << 20) + 2, 34, 48};
  const ViewedCopy whole = copy_of(to, from);
  ASSERT_EQ(whole.word_log2, 1);
  for (const std::uint32_t first : {0U, 1U, 16U, 17U, 600U * 17, 600U * 17 + 5}) {
    for (const std::uint32_t words : {1U, 16U, 17U, 18U, 299U * 17, 550U * 17 + 3}) {
      const ViewedCopy copy = part(whole, first, words);
      const ViewedCopy across = across_holes(copy);
      EXPECT_EQ(across.run, 34);
      EXPECT_EQ(bytes_of(across), bytes_of(copy)) << first << " " << words;
    }
  }
}

TEST(AcrossHoles, LeavesWhatHasOtherRunsOrIsTooLong) {
  const Runs to{4096, 17, 24};
  ViewedCopy shifted = copy_of(to, to);
  shifted.source.view.start = 1;
  ViewedCopy listed = copy_of(to, to);
  listed.destination.lookup = Lookup::list;
  ViewedCopy sparse = copy_of({4096, 17, 69}, {4096, 17, 69});
  ViewedCopy far = copy_of({4096, 65535, 65537}, {4096, 65535, 65537});
  ViewedCopy long_one = copy_of(to, to);
  long_one.words = 1 << 30;
  long_one.destination.view.start = long_one.source.view.start = 1U << 30;
  const ViewedCopy in_rows = copy_of({4096, 17, 24, 1 << 16}, {4096, 17, 24, 1 << 16});
  const ViewedCopy other_stride = copy_of(to, {1 << 20, 17, 32});
  const ViewedCopy other_run = copy_of(to, {1 << 20, 51, 64});
  const ViewedCopy wider = copy_of({4096, 20, 24}, {1 << 20, 20, 24});
  for (const ViewedCopy& copy :
       {shifted, listed, sparse, far, long_one, in_rows, other_stride, other_run, wider}) {
    const ViewedCopy across = across_holes(copy);
    EXPECT_EQ(across.run, 0);
    EXPECT_EQ(across.word_log2, copy.word_log2);
    EXPECT_EQ(across.words, copy.words);
  }
}

}  // namespace
}  // namespace typewarp::gpu
