// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/run_split.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace typewarp::gpu {
namespace {

constexpr std::int64_t longest = std::int64_t{2} << 20;  ///< bytes
constexpr std::size_t most_copies = 2;

/// Words of each run, where runs are the innermost level; else 0.
std::uint32_t words_of_run(const CopySide& side, int word_log2) {
  const View& view = side.view;
  const bool has_runs = side.lookup == Lookup::none && view.start == 0 && view.depth > 1 &&
                        view.strides[0] == std::int64_t{1} << word_log2;
  return has_runs ? view.dividers[0].divisor : 0;
}

/// Bits whose lowest set one is the widest word at whose multiples all runs begin.
std::uint64_t begins_of_runs(const View& view) {
  auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(view.base));
  for (int level = 1; level < view.depth; ++level) bits |= static_cast<std::uint64_t>(view.strides[level]);
  return bits;
}

/// Of each run, `words` words from byte `offset` on.
void cut_runs(View& view, std::int64_t offset, std::uint32_t words, int word_log2) {
  view.base += offset;
  view.strides[0] = std::int64_t{1} << word_log2;
  if (words > 1) {
    view.dividers[0] = plan::Divider<std::uint32_t>(words);
    return;
  }
  --view.depth;
  std::copy_n(view.strides + 1, view.depth, view.strides);
  std::copy_n(view.dividers + 1, view.depth, view.dividers);
}

ViewedCopy cut(ViewedCopy copy, std::uint32_t runs, std::int64_t offset, std::int64_t bytes, int word_log2) {
  const auto words = static_cast<std::uint32_t>(bytes >> word_log2);
  cut_runs(copy.destination.view, offset, words, word_log2);
  cut_runs(copy.source.view, offset, words, word_log2);
  copy.word_log2 = word_log2;
  copy.words = runs * words;
  return copy;
}

}  // namespace

std::vector<ViewedCopy> in_wider_words(const ViewedCopy& copy) {
  const bool is_short = std::int64_t{copy.words} << copy.word_log2 <= longest;
  const std::uint32_t run =
      is_short && copy.word_log2 < staged_words ? words_of_run(copy.destination, copy.word_log2) : 0;
  if (run == 0 || run != words_of_run(copy.source, copy.word_log2) || copy.words % run != 0) return {copy};
  const std::uint64_t begins =
      wide | begins_of_runs(copy.destination.view) | begins_of_runs(copy.source.view);
  const std::int64_t bytes = std::int64_t{run} << copy.word_log2;
  std::vector<ViewedCopy> copies;
  std::int64_t offset = 0;
  // The widest words first, as far as they go; what is left of a run begins at a multiple of them.
  for (int log2 = std::countr_zero(begins); offset < bytes; --log2) {
    const std::int64_t cut_bytes = (bytes - offset) >> log2 << log2;
    if (cut_bytes == 0) continue;
    copies.push_back(cut(copy, copy.words / run, offset, cut_bytes, log2));
    offset += cut_bytes;
  }
  std::uint32_t tiles = 0;
  for (const ViewedCopy& each : copies) tiles += each.tiles();
  if (copies.size() > most_copies || tiles > copy.tiles()) return {copy};
  return copies;
}

}  // namespace typewarp::gpu
