// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "check.hpp"
#include "hand/hand.hpp"

#include <memory>

/// What the hand-coded kernels share.
namespace typewarp::bench {

inline constexpr int hand_threads = 256;

inline unsigned hand_blocks(std::int64_t work, std::int64_t per_block = hand_threads) {
  return static_cast<unsigned>((work + per_block - 1) / per_block);
}

/// The widest word of at most 16 bytes that divides all bits set in `bits`.
inline int widest_word(std::int64_t bits) {
  const std::int64_t with_limit = bits | 16;
  return static_cast<int>(with_limit & -with_limit);
}

/// Calls f.template operator()<Word, packing>().
template <typename F>
void with_word(int word, Direction direction, const F& f) {
  const auto both = [&]<typename Word>() {
    direction == Direction::pack ? f.template operator()<Word, true>() : f.template operator()<Word, false>();
  };
  switch (word) {
    case 1:
      return both.template operator()<std::uint8_t>();
    case 2:
      return both.template operator()<std::uint16_t>();
    case 4:
      return both.template operator()<std::uint32_t>();
    case 8:
      return both.template operator()<std::uint64_t>();
    default:
      return both.template operator()<uint4>();
  }
}

template <bool packing, typename Word>
__device__ void move(Word& in_buffer, Word& in_packed) {
  if constexpr (packing) {
    in_packed = in_buffer;
  } else {
    in_buffer = in_packed;
  }
}

/// A list in device memory.
template <typename T>
std::shared_ptr<T[]> on_device(const std::vector<T>& list) {
  T* data = nullptr;
  const std::size_t bytes = list.size() * sizeof(T);
  check(cudaMalloc(&data, bytes), "cudaMalloc");
  std::shared_ptr<T[]> owner(data, [](T* p) { cudaFree(p); });
  check(cudaMemcpy(data, list.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // a Queue does not wait for the default stream
  return owner;
}

}  // namespace typewarp::bench
