// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "problems.hpp"

#include <algorithm>
#include <bit>

namespace typewarp::bench {
namespace {

constexpr std::int64_t real = 8;  // bytes of a double

/// The widest element that a view may use for so many bytes.
std::int64_t item(std::int64_t bits) {
  bits |= 16;
  return bits & -bits;
}

View view_2d(std::int64_t rows, std::int64_t width, std::int64_t pitch) {
  const std::int64_t size = item(width | pitch);
  return {size, {rows, width / size}, {pitch / size, 1}, 0};
}

Datatype bytes(std::int64_t n) { return contiguous(n, Named::byte); }

}  // namespace

Problem gapless(std::int64_t packed) { return {bytes(packed), 1}; }

Problem strided_blocks(std::int64_t packed, std::int64_t block, std::int64_t stride) {
  const std::int64_t count = packed / block;
  return {hvector(count, 1, stride, bytes(block)), 1, hand_vector(count, block, stride),
          Pitched{block, count, stride}, view_2d(count, block, stride)};
}

CopyProblem vector_to_vector(std::int64_t packed, const HandVector& from, const HandVector& to) {
  return {strided_blocks(packed, from.block, from.stride), strided_blocks(packed, to.block, to.stride),
          hand_copy_vector(packed, from, to)};
}

Box hypercube_box(std::int64_t packed) {
  const auto log2_of = [](std::int64_t n) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
  };
  const int bits = log2_of(packed / real);
  const std::int64_t edge = bits < log2_of(64) * 4 ? 64 : 128;
  Box box{0, {}, 0, {edge, edge, edge, edge}, {}, {}, {edge * edge * edge, edge * edge, edge, 1}};
  for (std::size_t i = 0; i < box.sizes.size(); ++i) {
    box.sides.push_back(std::int64_t{1} << ((bits + 3 - static_cast<int>(i)) / 4));
    box.starts.push_back((edge - box.sides[i]) / 2);
    box.offset += real * box.starts[i] * box.strides[i];
    if (i < box.levels.size()) box.levels[i] = {box.sides[i], real * box.strides[i]};
  }
  box.run = real * box.sides.back();
  return box;
}

Problem hypercube(std::int64_t packed) {
  const Box box = hypercube_box(packed);
  // cudaMemcpy3D has three dimensions, so it is called for each place along the first.
  const Pitched boxes{.width = box.run,
                      .height = box.sides[2],
                      .pitch = real * box.strides[2],
                      .depth = box.sides[1],
                      .rows = box.sizes[2],
                      .offset = box.offset,
                      .boxes = box.sides[0],
                      .distance = real * box.strides[0]};
  return {subarray(box.sizes, box.sides, box.starts, Order::c, Named::double_), 1,
          hand_subarray(box.offset, box.levels, box.run), boxes,
          View{real, box.sides, box.strides, box.offset / real}};
}

Problem face(char axis, std::int64_t edge, std::int64_t width) {
  const auto dimension = static_cast<std::size_t>('z' - axis);
  std::vector<std::int64_t> sides(3, edge);
  std::vector<std::int64_t> starts(3, 0);
  sides[dimension] = starts[dimension] = width;
  const std::vector<std::int64_t> strides{edge * edge, edge, 1};
  const std::int64_t first = starts[dimension] * strides[dimension];
  const std::int64_t planes[] = {edge * edge, edge, 1};  // runs of the faces normal to x, y, z
  const std::int64_t runs = planes[2 - dimension];
  const std::int64_t run = real * width * edge * edge / runs;
  const std::int64_t pitch = real * strides[dimension] * edge;
  const std::array<HandLevel, 3> levels{HandLevel{1, 0}, HandLevel{1, 0}, HandLevel{runs, pitch}};
  Problem problem{subarray({edge, edge, edge}, sides, starts, Order::c, Named::double_), 1,
                  hand_subarray(real * first, levels, run), std::nullopt, View{real, sides, strides, first}};
  if (runs > 1) problem.pitched = Pitched{run, runs, pitch, 1, 0, real * first};
  return problem;
}

Problem nested(std::int64_t packed) {
  const std::array<HandLevel, 3> levels{HandLevel{packed / 512, 4096}, HandLevel{4, 512}, HandLevel{8, 48}};
  Datatype type = bytes(16);
  for (std::size_t i = levels.size(); i > 0; --i)
    type = hvector(levels[i - 1].count, 1, levels[i - 1].stride, type);
  return {type, 1, hand_subarray(0, levels, 16), std::nullopt,
          View{16, {packed / 512, 4, 8, 1}, {4096 / 16, 512 / 16, 48 / 16, 1}, 0}};
}

Problem deeply_nested(std::int64_t packed) {
  const Datatype inner = hvector(5, 1, 24, Named::double_);
  const Datatype middle = hvector(3, 1, 152, inner);
  const Datatype outer = hvector(7, 1, 520, middle);
  const std::int64_t count = std::max<std::int64_t>(1, packed / outer.size());
  return {hvector(count, 1, 4232, outer), 1, nullptr, std::nullopt,
          View{real, {count, 7, 3, 5}, {4232 / real, 520 / real, 152 / real, 24 / real}, 0}};
}

Problem transposed(std::int64_t n, int word) {
  const Datatype column = resized(hvector(n, 1, n * word, bytes(word)), 0, word);
  return {contiguous(n, column), 1, hand_transpose(n, n, word), std::nullopt, View{word, {n, n}, {1, n}, 0}};
}

std::string size_name(std::int64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && bytes % 1024 == 0 && unit < 3) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

}  // namespace typewarp::bench
