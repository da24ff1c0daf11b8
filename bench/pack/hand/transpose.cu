// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/hand.cuh"

namespace typewarp::bench {
namespace {

constexpr int tile = 32;
constexpr int tile_rows = 8;  // rows of a tile that a thread block moves at once

/// `from` is a matrix of `rows` x `columns`, `to` gets its transpose.
template <typename Word>
__global__ void transpose_kernel(const Word* from, Word* to, std::int64_t rows, std::int64_t columns) {
  __shared__ Word staged[tile][tile + 1];
  const std::int64_t left = std::int64_t{blockIdx.x} * tile;
  const std::int64_t top = std::int64_t{blockIdx.y} * tile;
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < tile; y += tile_rows) {
    if (top + y < rows && left + x < columns) staged[y][x] = from[(top + y) * columns + left + x];
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < tile; y += tile_rows) {
    if (left + y < columns && top + x < rows) to[(left + y) * rows + top + x] = staged[x][y];
  }
}

}  // namespace

HandCoded hand_transpose(std::int64_t rows, std::int64_t columns, int word) {
  return [=](Direction direction, std::byte* buffer, std::byte* packed, cudaStream_t stream) {
    with_word(word, direction, [&]<typename Word, bool packing>() {
      const std::int64_t height = packing ? rows : columns;
      const std::int64_t width = packing ? columns : rows;
      const dim3 grid(hand_blocks(width, tile), hand_blocks(height, tile));
      transpose_kernel<<<grid, dim3(tile, tile_rows), 0, stream>>>(
          reinterpret_cast<const Word*>(packing ? buffer : packed),
          reinterpret_cast<Word*>(packing ? packed : buffer), height, width);
    });
  };
}

}  // namespace typewarp::bench
