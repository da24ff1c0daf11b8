// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/pack/pack_cases.hpp"

#include <cstddef>
#include <utility>

namespace stencil2d {
namespace {

using typewarp::Named;

constexpr std::int64_t element = 8;  // sizeof(double)
constexpr std::int64_t stride = 512;
constexpr std::int64_t side = 64;

std::vector<Block> strided_blocks(std::int64_t count, std::int64_t bytes, std::int64_t step) {
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    blocks.push_back({i * step, bytes});
  }
  return blocks;
}

PackCase vector_case(std::int64_t bytes, std::int64_t block) {
  const std::int64_t blocks = bytes / block;
  return {"vector-" + std::to_string(block),
          typewarp::vector(blocks, block / element, stride / element, Named::double_), 1,
          strided_blocks(blocks, block, stride)};
}

PackCase indexed_case(std::int64_t bytes, std::int64_t block) {
  const std::int64_t blocks = bytes / block;
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < blocks; ++i) {
    displacements.push_back(i * stride / element);
  }
  const std::vector<std::int64_t> lengths(static_cast<std::size_t>(blocks), block / element);
  return {"indexed-" + std::to_string(block), typewarp::indexed(lengths, displacements, Named::double_), 1,
          strided_blocks(blocks, block, stride)};
}

/// Doubles one side of the box after the other, the last one first, until it holds `bytes`.
std::vector<std::int64_t> box_sides(std::int64_t bytes) {
  std::vector<std::int64_t> sides(4, 1);
  std::size_t next = 3;
  for (std::int64_t held = element; held < bytes; held *= 2) {
    sides[next] *= 2;
    next = (next + 3) % 4;
  }
  return sides;
}

PackCase subarray_case(std::int64_t bytes) {
  const std::vector<std::int64_t> box = box_sides(bytes);
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < box[0]; ++i) {
    for (std::int64_t j = 0; j < box[1]; ++j) {
      for (std::int64_t k = 0; k < box[2]; ++k) {
        blocks.push_back({((i * side + j) * side + k) * side * element, box[3] * element});
      }
    }
  }
  return {"subarray 4-D",
          typewarp::subarray({side, side, side, side}, box, {0, 0, 0, 0}, typewarp::Order::c, Named::double_),
          1, std::move(blocks)};
}

PackCase struct_case(std::int64_t bytes) {
  struct Item {
    double d;
    int i, j;
    char c;
  };
  const typewarp::Datatype item = typewarp::structure(
      {1, 1, 1, 1}, {offsetof(Item, d), offsetof(Item, i), offsetof(Item, j), offsetof(Item, c)},
      {Named::double_, Named::int_, Named::int_, Named::char_});
  const std::int64_t count = bytes / item.size();
  return {"struct", item, count, strided_blocks(count, item.size(), item.extent())};
}

}  // namespace

std::vector<PackCase> pack_cases(std::int64_t bytes) {
  return {vector_case(bytes, 8),  vector_case(bytes, 128),  subarray_case(bytes),
          indexed_case(bytes, 8), indexed_case(bytes, 128), struct_case(bytes)};
}

}  // namespace stencil2d
