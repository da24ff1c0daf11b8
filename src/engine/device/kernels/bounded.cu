// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/kernel_family.hpp"
#include "engine/device/kernels/move.cuh"

#include <array>

/// Any move by a given number of thread blocks, which loop over its words. What few blocks move at a time is
/// what their threads have in flight: so there are many threads, and each loads many words before it stores.
namespace typewarp::gpu {
namespace {

struct BoundedPolicy {
  int threads = 512;
  int words_in_flight = 8;
  int bytes_in_flight = 64;  ///< of a thread, at most
};
constexpr BoundedPolicy bounded_policy;

TYPEWARP_HD constexpr int depth_of(int word_log2) {
  const int fit = bounded_policy.bytes_in_flight >> word_log2;
  return fit < bounded_policy.words_in_flight ? fit : bounded_policy.words_in_flight;
}

/// `regular` fixes both lookups to none.
template <int word_log2, bool regular>
__global__ void __launch_bounds__(bounded_policy.threads)
    copy_bounded(const __grid_constant__ View destination, const Lookup destination_lookup,
                 const __grid_constant__ View source, const Lookup source_lookup,
                 const __grid_constant__ Span span) {
  using W = Word<word_log2>;
  constexpr int depth = depth_of(word_log2);
  constexpr std::uint32_t tile = depth * bounded_policy.threads;
  constexpr std::uint32_t word = 1u << word_log2;
  const auto from = [&](std::uint32_t i) {
    return regular ? source.at<Lookup::none>(i, word_log2) : source.at_any(source_lookup, i, word_log2);
  };
  const auto to = [&](std::uint32_t i) {
    return regular ? destination.at<Lookup::none>(i, word_log2)
                   : destination.at_any(destination_lookup, i, word_log2);
  };
  const std::uint32_t first = span.first >> word_log2;
  for (std::uint32_t unit = blockIdx.x * tile + threadIdx.x; unit < span.units; unit += gridDim.x * tile) {
    W values[depth];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const std::uint32_t k = unit + j * bounded_policy.threads;
      if (k < span.units) values[j] = *reinterpret_cast<const W*>(from(first + k));
    }
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const std::uint32_t k = unit + j * bounded_policy.threads;
      if (k < span.units) *reinterpret_cast<W*>(to(first + k)) = values[j];
    }
  }
  finish(span, [&](std::uint32_t byte) {
    to(byte >> word_log2)[byte & (word - 1)] = from(byte >> word_log2)[byte & (word - 1)];
  });
}

using Kernel = void (*)(View, Lookup, View, Lookup, Span);

constexpr std::array<std::array<Kernel, words>, 2> kernels = {
    {{copy_bounded<0, false>, copy_bounded<1, false>, copy_bounded<2, false>, copy_bounded<3, false>,
      copy_bounded<4, false>},
     {copy_bounded<0, true>, copy_bounded<1, true>, copy_bounded<2, true>, copy_bounded<3, true>,
      copy_bounded<4, true>}}};

const KernelLoader loader([](const Device&) { load_table(kernels); });

}  // namespace

void launch_bounded(const Move& move, int limit) {
  Span span(move.range, 1 << move.word_log2, 1 << move.word_log2, 0);
  Lookup to_lookup = Lookup::none;
  Lookup from_lookup = Lookup::none;
  View to = move.destination.view({span.origin, move.range.end}, move.word_log2, to_lookup);
  View from = move.source.view({span.origin, move.range.end}, move.word_log2, from_lookup);
  const bool regular = to_lookup == Lookup::none && from_lookup == Lookup::none;
  const Kernel kernel = kernels[regular ? 1 : 0].at(static_cast<std::size_t>(move.word_log2));
  const std::int64_t tile = std::int64_t{depth_of(move.word_log2)} * bounded_policy.threads;
  const std::int64_t blocks = std::clamp<std::int64_t>((span.units + tile - 1) / tile, 1, limit);
  span.counter = counter_for(move.context, blocks);
  void* arguments[] = {&to, &to_lookup, &from, &from_lookup, &span};
  enqueue_kernel(move.context, reinterpret_cast<const void*>(kernel), blocks, bounded_policy.threads,
                 arguments);
}

}  // namespace typewarp::gpu
