// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/layouts.hpp"
#include "engine/device/kernels/move.hpp"
#include "engine/device/kernels/move.cuh"

#include <array>

/// From any layout to any other, both sides word by word: by as many thread blocks as there are tiles, or by
/// a given number of blocks, which loop over them.
namespace typewarp::gpu {
namespace {

/// What few blocks move at a time is what their threads have in flight: so there are many threads, and each
/// loads many words before it stores.
struct BoundedPolicy {
  int threads = 512;
  int words_in_flight = 8;
  int bytes_in_flight = 64;  ///< of a thread, at most
};
constexpr BoundedPolicy bounded_policy;

TYPEWARP_HD constexpr int threads_of(bool bounded) {
  return bounded ? bounded_policy.threads : launch_policy.threads;
}
/// Words that a thread loads before it stores.
TYPEWARP_HD constexpr int depth_of(bool bounded, int word_log2) {
  if (!bounded) return words_in_flight(word_log2);
  const int fit = bounded_policy.bytes_in_flight >> word_log2;
  return fit < bounded_policy.words_in_flight ? fit : bounded_policy.words_in_flight;
}

/// `regular` fixes both lookups to none.
template <int word_log2, bool regular, bool bounded>
__global__ void __launch_bounds__(threads_of(bounded))
    copy_words(const __grid_constant__ View destination, const Lookup destination_lookup,
               const __grid_constant__ View source, const Lookup source_lookup,
               const __grid_constant__ Span span) {
  constexpr int threads = threads_of(bounded);
  constexpr int depth = depth_of(bounded, word_log2);
  constexpr std::uint32_t tile = depth * threads;
  constexpr std::uint32_t word = 1u << word_log2;
  const auto from = [&](std::uint32_t i) {
    return regular ? source.at<Lookup::none>(i, word_log2) : source.at_any(source_lookup, i, word_log2);
  };
  const auto to = [&](std::uint32_t i) {
    return regular ? destination.at<Lookup::none>(i, word_log2)
                   : destination.at_any(destination_lookup, i, word_log2);
  };
  const std::uint32_t first = span.first >> word_log2;
  const auto move_tile = [&](std::uint32_t unit) {
    move_words<word_log2, depth, threads>(
        unit, span.units, [&](std::uint32_t k) { return from(first + k); },
        [&](std::uint32_t k) { return to(first + k); });
  };
  const std::uint32_t unit = blockIdx.x * tile + threadIdx.x;
  if constexpr (bounded) {
    for (std::uint32_t next = unit; next < span.units; next += gridDim.x * tile) move_tile(next);
  } else {
    move_tile(unit);
  }
  finish(span, [&](std::uint32_t byte) {
    to(byte >> word_log2)[byte & (word - 1)] = from(byte >> word_log2)[byte & (word - 1)];
  });
}

using Kernel = void (*)(View, Lookup, View, Lookup, Span);

template <bool regular, bool bounded>
constexpr std::array<Kernel, words> by_word{copy_words<0, regular, bounded>, copy_words<1, regular, bounded>,
                                            copy_words<2, regular, bounded>, copy_words<3, regular, bounded>,
                                            copy_words<4, regular, bounded>};
constexpr std::array kernels{by_word<false, false>, by_word<true, false>, by_word<false, true>,
                             by_word<true, true>};

const KernelLoader loader([](const Device&) { load_table(kernels); });

}  // namespace

void launch_layouts(const Move& move, int most_blocks) {
  const bool bounded = most_blocks > 0;
  Span span(move.range, 1 << move.word_log2, 1 << move.word_log2, 0);
  Lookup to_lookup = Lookup::none;
  Lookup from_lookup = Lookup::none;
  View to = move.destination.view({span.origin, move.range.end}, move.word_log2, to_lookup);
  View from = move.source.view({span.origin, move.range.end}, move.word_log2, from_lookup);
  const bool regular = to_lookup == Lookup::none && from_lookup == Lookup::none;
  const auto row = static_cast<std::size_t>((bounded ? 2 : 0) + (regular ? 1 : 0));
  const Kernel kernel = kernels.at(row).at(static_cast<std::size_t>(move.word_log2));
  const std::int64_t tile = std::int64_t{depth_of(bounded, move.word_log2)} * threads_of(bounded);
  const std::int64_t tiles = std::max<std::int64_t>((span.units + tile - 1) / tile, 1);
  const std::int64_t blocks = bounded ? std::min<std::int64_t>(tiles, most_blocks) : tiles;
  span.counter = counter_for(move.context, blocks);
  void* arguments[] = {&to, &to_lookup, &from, &from_lookup, &span};
  enqueue_kernel(move.context, kernel_address(kernel), blocks, threads_of(bounded), arguments);
}

}  // namespace typewarp::gpu
