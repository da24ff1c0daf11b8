// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/strided.hpp"
#include "plan/divider.hpp"
#include "plan/locate.hpp"

#include <cstddef>
#include <cstdint>

/// The sides of a move as kernels see them. Each says where word `i` of the packed stream lies; words are
/// `word` bytes, a power of two that divides whatever separates one word from the next.
namespace typewarp::cuda {

using plan::Divider;

struct ContiguousView {
  std::byte* base;  ///< where byte 0 of the stream lies or would lie

  TYPEWARP_HD std::byte* at(std::int64_t i, int word) const { return base + i * word; }
};

/// `Index` holds every word index of the whole stream with one bit to spare.
template <typename Index>
struct StridedView {
  std::byte* base;
  int depth;
  Divider<Index> dividers[Strided::capacity];
  std::int64_t strides[Strided::capacity];  ///< bytes

  /// The levels of `shape` counted in words instead of bytes.
  StridedView(std::byte* base_address, const Strided& shape, int word) : base(base_address), depth(0) {
    const std::int64_t run = shape.levels[0].count / word;
    if (run > 1) add(run, word);
    for (std::size_t level = 1; level < shape.depth; ++level) {
      add(shape.levels[level].count, shape.levels[level].stride);
    }
  }

  TYPEWARP_HD std::byte* at(std::int64_t i, int) const {
    auto rest = static_cast<Index>(i);
    std::int64_t offset = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int level = 0; level < static_cast<int>(Strided::capacity); ++level) {
      if (level + 1 >= depth) {
        offset += static_cast<std::int64_t>(rest) * strides[level];
        break;
      }
      const Index quotient = dividers[level].quotient(rest);
      offset += static_cast<std::int64_t>(rest - quotient * dividers[level].divisor) * strides[level];
      rest = quotient;
    }
    return base + offset;
  }

 private:
  void add(std::int64_t count, std::int64_t stride) {
    dividers[depth] = Divider<Index>(count);
    strides[depth++] = stride;
  }
};

/// Any layout, by Algorithm 1. Few nodes travel with the kernel's parameters; many sit in device memory.
struct GenericView {
  static constexpr std::size_t capacity = 16;
  std::byte* base;
  std::int64_t extent;
  const plan::Node* far_nodes;  ///< null if `nodes` holds them
  const std::byte* lookaside;
  plan::Node nodes[capacity];

  TYPEWARP_HD std::byte* at(std::int64_t i, int word) const {
    const plan::EncodingView encoding{far_nodes != nullptr ? far_nodes : nodes, lookaside};
    return base + plan::locate(encoding, extent, i * word).offset;
  }
};

}  // namespace typewarp::cuda
