// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/move.cuh"

/// Between a layout and packed bytes, small word by small word through shared memory: the layout is accessed
/// as in words.cuh, and the packed side in full lines, which a warp's worth of single bytes would not fill.
namespace typewarp::gpu {

/// A tile of one unit a thread, unit `begin` first.
template <typename W>
struct UnitTile {
  static constexpr int words_a_thread = wide / static_cast<int>(sizeof(W));
  std::uint32_t begin;
  std::uint32_t units;

  __device__ UnitTile(std::uint32_t first, std::uint32_t all)
      : begin(first), units(min(all - min(first, all), static_cast<std::uint32_t>(launch_policy.threads))) {}

  /// Calls body(j, word of the tile) for this thread's words; neighbouring threads have neighbouring ones.
  template <typename Body>
  __device__ void for_each_word(const Body& body) const {
#pragma unroll
    for (int j = 0; j < words_a_thread; ++j) {
      const std::uint32_t word = j * launch_policy.threads + threadIdx.x;
      if (word < units * words_a_thread) body(j, word);
    }
  }
};

template <int word_log2, Lookup lookup>
__global__ void __launch_bounds__(launch_policy.threads)
    pack_staged(std::byte* packed, const __grid_constant__ View source, const __grid_constant__ Span span) {
  using W = Word<word_log2>;
  __shared__ uint4 stage[launch_policy.threads];
  auto* const out = reinterpret_cast<uint4*>(packed + span.first);
  const std::uint32_t first = span.first >> word_log2;
  const std::uint32_t unit = first_unit<1>();
  const UnitTile<W> tile(unit - threadIdx.x, span.units);
  W values[UnitTile<W>::words_a_thread];
  const std::uint32_t start = first + tile.begin * UnitTile<W>::words_a_thread;
  tile.for_each_word([&](int j, std::uint32_t word) {
    values[j] = *reinterpret_cast<const W*>(source.at<lookup>(start + word, word_log2));
  });
  tile.for_each_word([&](int j, std::uint32_t word) { reinterpret_cast<W*>(stage)[word] = values[j]; });
  __syncthreads();
  if (threadIdx.x < tile.units) __stcs(out + unit, stage[threadIdx.x]);
  finish_pack<word_log2, lookup>(packed, source, span);
}

template <int word_log2, Lookup lookup>
__global__ void __launch_bounds__(launch_policy.threads)
    unpack_staged(const __grid_constant__ View destination, const std::byte* packed,
                  const __grid_constant__ Span span) {
  using W = Word<word_log2>;
  __shared__ uint4 stage[launch_policy.threads];
  const auto* const in = reinterpret_cast<const uint4*>(packed + span.first);
  const std::uint32_t first = span.first >> word_log2;
  const std::uint32_t unit = first_unit<1>();
  const UnitTile<W> tile(unit - threadIdx.x, span.units);
  const std::uint32_t start = first + tile.begin * UnitTile<W>::words_a_thread;
  if (threadIdx.x < tile.units) stage[threadIdx.x] = __ldcs(in + unit);
  __syncthreads();
  tile.for_each_word([&](int, std::uint32_t word) {
    *reinterpret_cast<W*>(destination.at<lookup>(start + word, word_log2)) =
        reinterpret_cast<const W*>(stage)[word];
  });
  finish_unpack<word_log2, lookup>(destination, packed, span);
}

}  // namespace typewarp::gpu
