// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/hand.cuh"

namespace typewarp::bench {
namespace {

template <typename Word, bool packing>
__global__ void vector_kernel(Word* buffer, Word* packed, std::uint32_t words, std::uint32_t block,
                              std::uint32_t stride) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  move<packing>(buffer[static_cast<std::uint64_t>(i / block) * stride + i % block], packed[i]);
}

struct Nested {
  std::uint32_t run;  // in words
  std::uint32_t count[3];
  std::uint64_t stride[3];  // in words
};

template <typename Word, bool packing>
__global__ void subarray_kernel(Word* buffer, Word* packed, std::uint32_t words, Nested nested) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  std::uint32_t rest = i / nested.run;
  std::uint64_t at = i % nested.run;
  for (int level = 2; level > 0; --level) {
    at += rest % nested.count[level] * nested.stride[level];
    rest /= nested.count[level];
  }
  move<packing>(buffer[at + rest * nested.stride[0]], packed[i]);
}

}  // namespace

HandCoded hand_vector(std::int64_t count, std::int64_t block, std::int64_t stride) {
  const int word = widest_word(block | stride);
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    with_word(word, direction, [&]<typename Word, bool packing>() {
      const std::int64_t words = count * block / word;
      vector_kernel<Word, packing><<<hand_blocks(words), hand_threads, 0, stream>>>(
          reinterpret_cast<Word*>(buffer), reinterpret_cast<Word*>(packed), static_cast<std::uint32_t>(words),
          static_cast<std::uint32_t>(block / word), static_cast<std::uint32_t>(stride / word));
    });
  };
}

HandCoded hand_subarray(std::int64_t offset, std::array<HandLevel, 3> levels, std::int64_t run) {
  const int word = widest_word(offset | run | levels[0].stride | levels[1].stride | levels[2].stride);
  Nested nested{static_cast<std::uint32_t>(run / word), {}, {}};
  std::int64_t words = run / word;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    nested.count[i] = static_cast<std::uint32_t>(levels[i].count);
    nested.stride[i] = static_cast<std::uint64_t>(levels[i].stride / word);
    words *= levels[i].count;
  }
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    with_word(word, direction, [&]<typename Word, bool packing>() {
      subarray_kernel<Word, packing><<<hand_blocks(words), hand_threads, 0, stream>>>(
          reinterpret_cast<Word*>(buffer + offset), reinterpret_cast<Word*>(packed),
          static_cast<std::uint32_t>(words), nested);
    });
  };
}

}  // namespace typewarp::bench
