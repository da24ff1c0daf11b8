// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/hand.cuh"

#include <typewarp/error.hpp>

#include <algorithm>
#include <limits>

namespace typewarp::bench {
namespace {

constexpr unsigned lanes = 8;  // threads of one varying block

template <typename Word, bool packing>
__global__ void indexed_block_kernel(Word* buffer, Word* packed, const std::int32_t* displacements,
                                     std::uint32_t words, std::uint32_t block) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  move<packing>(buffer[static_cast<std::int64_t>(displacements[i / block]) + i % block], packed[i]);
}

template <bool packing>
__global__ void indexed_kernel(double* buffer, double* packed, const std::int32_t* displacements,
                               const std::int32_t* places, std::uint32_t blocks) {
  const std::uint32_t block = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;
  if (block >= blocks) return;
  const std::int32_t begin = places[block];
  const std::int32_t length = places[block + 1] - begin;
  for (auto i = static_cast<std::int32_t>(threadIdx.x % lanes); i < length; i += lanes) {
    move<packing>(buffer[displacements[block] + i], packed[begin + i]);
  }
}

template <bool packing>
__global__ void triangle_kernel(double* buffer, double* packed, std::int64_t n) {
  const std::int64_t row = blockIdx.x;
  double* const from = buffer + row * n;
  double* const to = packed + row * (row + 1) / 2;
  for (std::int64_t i = threadIdx.x; i <= row; i += blockDim.x) move<packing>(from[i], to[i]);
}

std::vector<std::int32_t> narrowed(const std::vector<std::int64_t>& list, std::int64_t unit) {
  std::vector<std::int32_t> result(list.size());
  std::ranges::transform(list, result.begin(), [unit](std::int64_t value) {
    const std::int64_t scaled = value / unit;
    if (scaled > std::numeric_limits<std::int32_t>::max())
      throw Error("a hand-coded list needs 32-bit displacements");
    return static_cast<std::int32_t>(scaled);
  });
  return result;
}

}  // namespace

HandCoded hand_indexed_block(std::int64_t block, const std::vector<std::int64_t>& displacements) {
  std::int64_t bits = block;
  for (const std::int64_t displacement : displacements) bits |= displacement;
  const int word = widest_word(bits);
  const auto words = static_cast<std::int64_t>(displacements.size()) * block / word;
  const auto list = on_device(narrowed(displacements, word));
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    with_word(word, direction, [&]<typename Word, bool packing>() {
      indexed_block_kernel<Word, packing><<<hand_blocks(words), hand_threads, 0, stream>>>(
          reinterpret_cast<Word*>(buffer), reinterpret_cast<Word*>(packed), list.get(),
          static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(block / word));
    });
  };
}

HandCoded hand_indexed(const std::vector<std::int64_t>& lengths,
                       const std::vector<std::int64_t>& displacements) {
  std::vector<std::int64_t> places{0};
  for (const std::int64_t length : lengths) places.push_back(places.back() + length);
  const auto device_places = on_device(narrowed(places, 1));
  const auto list = on_device(narrowed(displacements, 1));
  const auto blocks = static_cast<std::uint32_t>(lengths.size());
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    const auto kernel = direction == Direction::pack ? indexed_kernel<true> : indexed_kernel<false>;
    kernel<<<hand_blocks(blocks, hand_threads / lanes), hand_threads, 0, stream>>>(
        reinterpret_cast<double*>(buffer), reinterpret_cast<double*>(packed), list.get(), device_places.get(),
        blocks);
  };
}

HandCoded hand_triangle(std::int64_t n) {
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    const auto kernel = direction == Direction::pack ? triangle_kernel<true> : triangle_kernel<false>;
    kernel<<<static_cast<unsigned>(n), hand_threads, 0, stream>>>(reinterpret_cast<double*>(buffer),
                                                                  reinterpret_cast<double*>(packed), n);
  };
}

}  // namespace typewarp::bench
