// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/move.cuh"

#include <array>

namespace typewarp::gpu {
namespace {

/// Both sides word by word. `regular` fixes both lookups to none.
template <int word_log2, bool regular>
__global__ void __launch_bounds__(launch_policy.threads)
    copy_words(const __grid_constant__ View destination, const Lookup destination_lookup,
               const __grid_constant__ View source, const Lookup source_lookup,
               const __grid_constant__ Span span) {
  using W = Word<word_log2>;
  constexpr int depth = words_in_flight(word_log2);
  constexpr std::uint32_t word = 1u << word_log2;
  const auto from = [&](std::uint32_t i) {
    return regular ? source.at<Lookup::none>(i, word_log2) : source.at_any(source_lookup, i, word_log2);
  };
  const auto to = [&](std::uint32_t i) {
    return regular ? destination.at<Lookup::none>(i, word_log2)
                   : destination.at_any(destination_lookup, i, word_log2);
  };
  const std::uint32_t first = span.first >> word_log2;
  const std::uint32_t unit = first_unit<depth>();
  W values[depth];
#pragma unroll
  for (int j = 0; j < depth; ++j) {
    const std::uint32_t k = unit + j * blockDim.x;
    if (k < span.units) values[j] = *reinterpret_cast<const W*>(from(first + k));
  }
#pragma unroll
  for (int j = 0; j < depth; ++j) {
    const std::uint32_t k = unit + j * blockDim.x;
    if (k < span.units) *reinterpret_cast<W*>(to(first + k)) = values[j];
  }
  finish(span, [&](std::uint32_t byte) {
    to(byte >> word_log2)[byte & (word - 1)] = from(byte >> word_log2)[byte & (word - 1)];
  });
}

using Kernel = void (*)(View, Lookup, View, Lookup, Span);

constexpr std::array<std::array<Kernel, words>, 2> kernels = {
    {{copy_words<0, false>, copy_words<1, false>, copy_words<2, false>, copy_words<3, false>,
      copy_words<4, false>},
     {copy_words<0, true>, copy_words<1, true>, copy_words<2, true>, copy_words<3, true>,
      copy_words<4, true>}}};

const KernelLoader loader([](const Device&) { load_table(kernels); });

}  // namespace

void launch_copy(const Launch& launch, View destination, Lookup destination_lookup, View source,
                 Lookup source_lookup, Span span, int word_log2) {
  const bool regular = destination_lookup == Lookup::none && source_lookup == Lookup::none;
  const Kernel kernel = kernels[regular ? 1 : 0].at(static_cast<std::size_t>(word_log2));
  void* arguments[] = {&destination, &destination_lookup, &source, &source_lookup, &span};
  enqueue(launch, kernel, span, words_in_flight(word_log2), arguments);
}

}  // namespace typewarp::gpu
