// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/hand.cuh"

namespace typewarp::bench {
namespace {

struct Blocked {
  std::uint32_t block, stride;  // in words

  __device__ std::uint64_t operator()(std::uint32_t i) const {
    return static_cast<std::uint64_t>(i / block) * stride + i % block;
  }
};

struct Nested {
  std::uint32_t run;  // in words
  std::uint32_t count[3];
  std::uint64_t stride[3];  // in words

  __device__ std::uint64_t operator()(std::uint32_t i) const {
    std::uint32_t rest = i / run;
    std::uint64_t at = i % run;
    for (int level = 2; level > 0; --level) {
      at += rest % count[level] * stride[level];
      rest /= count[level];
    }
    return at + rest * stride[0];
  }
};

template <typename Word, bool packing, typename Place>
__global__ void strided_kernel(Word* buffer, Word* packed, std::uint32_t words, Place place) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) move<packing>(buffer[place(i)], packed[i]);
}

template <typename Word, typename From, typename To>
__global__ void copy_kernel(const Word* source, Word* destination, std::uint32_t words, From from, To to) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) destination[to(i)] = source[from(i)];
}

constexpr std::uint64_t no_place = ~std::uint64_t{0};

template <typename Place>
__global__ void traversal_kernel(std::byte* sink, std::uint32_t words, Place place) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words && place(i) == no_place) *sink = std::byte{1};
}

/// A layout in words, with the function from packed word to word in the buffer.
template <typename Place>
struct Walk {
  int word;
  std::int64_t offset, words;
  Place place;

  HandCoded moving() const {
    return [walk = *this](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
      with_word(walk.word, direction, [&]<typename Word, bool packing>() {
        strided_kernel<Word, packing><<<hand_blocks(walk.words), hand_threads, 0, stream>>>(
            reinterpret_cast<Word*>(buffer + walk.offset), reinterpret_cast<Word*>(packed),
            static_cast<std::uint32_t>(walk.words), walk.place);
      });
    };
  }

  Traversal traversal() const {
    return [walk = *this](std::byte* sink, cudaStream_t stream) {
      traversal_kernel<<<hand_blocks(walk.words), hand_threads, 0, stream>>>(
          sink, static_cast<std::uint32_t>(walk.words), walk.place);
    };
  }
};

Blocked blocked(const HandVector& vector, int word) {
  return {static_cast<std::uint32_t>(vector.block / word), static_cast<std::uint32_t>(vector.stride / word)};
}

Walk<Blocked> walk_vector(std::int64_t count, std::int64_t block, std::int64_t stride) {
  const int word = widest_word(block | stride);
  return {word, 0, count * block / word, blocked({block, stride}, word)};
}

Walk<Nested> walk_subarray(std::int64_t offset, const std::array<HandLevel, 3>& levels, std::int64_t run) {
  const int word = widest_word(offset | run | levels[0].stride | levels[1].stride | levels[2].stride);
  Walk<Nested> walk{word, offset, run / word, {static_cast<std::uint32_t>(run / word), {}, {}}};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    walk.place.count[i] = static_cast<std::uint32_t>(levels[i].count);
    walk.place.stride[i] = static_cast<std::uint64_t>(levels[i].stride / word);
    walk.words *= levels[i].count;
  }
  return walk;
}

}  // namespace

HandCoded hand_vector(std::int64_t count, std::int64_t block, std::int64_t stride) {
  return walk_vector(count, block, stride).moving();
}

HandCodedCopy hand_copy_vector(std::int64_t bytes, HandVector from, HandVector to) {
  const int word = widest_word(from.block | from.stride | to.block | to.stride);
  const std::int64_t words = bytes / word;
  return [=](std::byte* source, std::byte* destination, cudaStream_t stream) {
    with_word(word, Direction::pack, [&]<typename Word, bool>() {
      copy_kernel<<<hand_blocks(words), hand_threads, 0, stream>>>(
          reinterpret_cast<const Word*>(source), reinterpret_cast<Word*>(destination),
          static_cast<std::uint32_t>(words), blocked(from, word), blocked(to, word));
    });
  };
}

HandCoded hand_subarray(std::int64_t offset, std::array<HandLevel, 3> levels, std::int64_t run) {
  return walk_subarray(offset, levels, run).moving();
}

Traversal hand_traverse_vector(std::int64_t count, std::int64_t block, std::int64_t stride) {
  return walk_vector(count, block, stride).traversal();
}

Traversal hand_traverse_subarray(std::int64_t offset, std::array<HandLevel, 3> levels, std::int64_t run) {
  return walk_subarray(offset, levels, run).traversal();
}

}  // namespace typewarp::bench
