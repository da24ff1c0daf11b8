// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/check.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/span.hpp"

#include <algorithm>

namespace typewarp::cuda {

/// Loads that a thread issues before its first store: more where finding an address is cheap.
template <typename View>
inline constexpr int words_in_flight = 4;
template <>
inline constexpr int words_in_flight<GenericView> = 1;
template <typename Destination, typename Source>
inline constexpr int depth_of = std::min(words_in_flight<Destination>, words_in_flight<Source>);

/// Every thread moves words a grid apart, several at a time; the first ones also the bytes at the edges.
template <typename Word, typename Destination, typename Source>
__global__ void move_words(const __grid_constant__ Destination destination,
                           const __grid_constant__ Source source, const Span span) {
  constexpr int word = sizeof(Word);
  constexpr int depth = depth_of<Destination, Source>;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;

  for (std::int64_t i = span.first + thread; i < span.last; i += depth * threads) {
    Word words[depth];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const std::int64_t k = i + j * threads;
      if (k < span.last) words[j] = *reinterpret_cast<const Word*>(source.at(k, word));
    }
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const std::int64_t k = i + j * threads;
      if (k < span.last) *reinterpret_cast<Word*>(destination.at(k, word)) = words[j];
    }
  }

  const std::int64_t heads = span.head_end - span.head_begin;
  const std::int64_t tails = span.tail_end - span.tail_begin;
  if (thread < heads + tails) {
    const std::int64_t byte = thread < heads ? span.head_begin + thread : span.tail_begin + thread - heads;
    destination.at(byte / word, word)[byte % word] = source.at(byte / word, word)[byte % word];
  }
}

template <typename Word, typename Destination, typename Source>
void launch_words(const Move& move, const Destination& destination, const Source& source) {
  constexpr LaunchPolicy policy;
  static_assert(policy.threads >= 2 * static_cast<int>(sizeof(Word)), "one block moves the edges");
  const Span span(move.range, move.word);
  const std::int64_t wanted = (span.last - span.first + policy.threads - 1) / policy.threads;
  const std::int64_t most =
      static_cast<std::int64_t>(policy.blocks_per_multiprocessor) * move.multiprocessors;

  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, most)));
  config.blockDim = dim3(static_cast<unsigned>(policy.threads));
  config.stream = move.stream;
  const cudaError_t status =
      cudaLaunchKernelEx(&config, move_words<Word, Destination, Source>, destination, source, span);
  check(status, "cudaLaunchKernelEx(move_words)");
}

template <typename Destination, typename Source>
void launch_views(const Move& move, const Destination& destination, const Source& source) {
  switch (move.word) {
    case 16:
      return launch_words<uint4>(move, destination, source);
    case 8:
      return launch_words<std::uint64_t>(move, destination, source);
    case 4:
      return launch_words<std::uint32_t>(move, destination, source);
    case 2:
      return launch_words<std::uint16_t>(move, destination, source);
    default:
      return launch_words<std::uint8_t>(move, destination, source);
  }
}

/// Loads the kernels of a pair of views onto the current device.
template <typename Destination, typename Source>
void load_views() {
  cudaFuncAttributes attributes{};
  TYPEWARP_CUDA((cudaFuncGetAttributes(&attributes, move_words<uint4, Destination, Source>)));
  TYPEWARP_CUDA((cudaFuncGetAttributes(&attributes, move_words<std::uint64_t, Destination, Source>)));
  TYPEWARP_CUDA((cudaFuncGetAttributes(&attributes, move_words<std::uint32_t, Destination, Source>)));
  TYPEWARP_CUDA((cudaFuncGetAttributes(&attributes, move_words<std::uint16_t, Destination, Source>)));
  TYPEWARP_CUDA((cudaFuncGetAttributes(&attributes, move_words<std::uint8_t, Destination, Source>)));
}

/// Whether every word index of the streams fits the narrow division.
inline bool narrow(const Move& move) { return move.total / move.word <= std::int64_t{1} << 31; }

template <typename Index>
StridedView<Index> view(const StridedSide& side, int word) {
  return {side.base, side.shape, word};
}

}  // namespace typewarp::cuda
