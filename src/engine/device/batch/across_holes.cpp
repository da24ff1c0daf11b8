// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/batch/across_holes.hpp"

#include <cstdint>
#include <limits>

namespace typewarp::gpu {
namespace {

/// Runs of bytes at a stride: all of a view.
struct Runs {
  std::int64_t bytes = 0, stride = 0;
  bool operator==(const Runs&) const = default;
};

/// None of 0 bytes, where the view has other levels.
Runs runs_of(const CopySide& side, int word_log2) {
  const View& view = side.view;
  const std::int64_t word = std::int64_t{1} << word_log2;
  if (side.lookup != Lookup::none || view.depth != 2 || view.strides[0] != word) return {};
  return {view.dividers[0].divisor * word, view.strides[1]};
}

/// The place of byte `byte` of the runs, from the first one's beginning.
std::int64_t place(const Runs& runs, std::int64_t byte) {
  return byte / runs.bytes * runs.stride + byte % runs.bytes;
}

/// The view in bytes from the first run's beginning on, those between runs among them.
View with_holes(View view, const Runs& runs, std::int64_t first_byte) {
  view.start = static_cast<std::uint32_t>(place(runs, first_byte));
  view.depth = 1;
  view.strides[0] = 1;
  return view;
}

}  // namespace

ViewedCopy across_holes(const ViewedCopy& copy) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const Runs runs = runs_of(copy.destination, copy.word_log2);
  const bool alike = runs.bytes > 0 && runs == runs_of(copy.source, copy.word_log2) &&
                     copy.destination.view.start == copy.source.view.start;
  const bool dense = runs.stride > runs.bytes && runs.stride <= most_spread * runs.bytes;
  if (copy.word_log2 >= small_words || !alike || !dense || runs.stride > CopyEntry::longest_stride)
    return copy;
  const std::int64_t first = std::int64_t{copy.destination.view.start} << copy.word_log2;
  const std::int64_t end = place(runs, first + (std::int64_t{copy.words} << copy.word_log2) - 1) + 1;
  if (end > most) return copy;
  ViewedCopy bytes = copy;
  bytes.word_log2 = 0;
  bytes.words = static_cast<std::uint32_t>(end - place(runs, first));
  bytes.run = static_cast<std::uint16_t>(runs.bytes);
  bytes.run_stride = static_cast<std::uint16_t>(runs.stride);
  bytes.destination.view = with_holes(copy.destination.view, runs, first);
  bytes.source.view = with_holes(copy.source.view, runs, first);
  return bytes;
}

}  // namespace typewarp::gpu
