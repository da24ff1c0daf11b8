// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <algorithm>
#include <bit>
#include <random>

namespace typewarp::pingpong {
namespace {

constexpr std::int64_t real = 8;  // bytes of a double
constexpr std::int64_t mebi = std::int64_t{1} << 20;
constexpr std::int64_t most = 256 * mebi;
/// Also of lists, and of what spans much more memory than it moves.
constexpr std::int64_t most_on_host = 64 * mebi;

Problem gapless(std::int64_t bytes) {
  const std::int64_t row = std::min<std::int64_t>(bytes, 4096);
  return {contiguous(bytes, Named::byte), 1, Pitched{row, bytes / row, row}};
}

/// Blocks of `block` elements, `stride` elements apart.
Problem blocks(std::int64_t bytes, std::int64_t block, std::int64_t stride, Named element) {
  const std::int64_t width = block * Datatype(element).size();
  const std::int64_t count = bytes / width;
  return {vector(count, block, stride, element), 1, Pitched{width, count, stride * Datatype(element).size()}};
}

/// Blocks of 1 to 7 doubles with gaps of 1 to 4, the same in every run.
Problem varying_blocks(std::int64_t bytes) {
  std::mt19937_64 engine{2012};
  const auto from_to = [&](std::int64_t least_value, std::int64_t most_value) {
    return least_value +
           static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(most_value - least_value + 1));
  };
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  std::int64_t at = 0;
  for (std::int64_t left = bytes / real; left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(left, from_to(1, 7)));
    displacements.push_back(at);
    at += lengths.back() + from_to(1, 4);
  }
  return {indexed(std::move(lengths), std::move(displacements), Named::double_)};
}

Problem particles(std::int64_t bytes) {
  const Datatype type =
      structure({1, 1, 1, 1}, {0, 8, 12, 16}, {Named::double_, Named::int_, Named::int_, Named::char_});
  return {type, std::max<std::int64_t>(1, bytes / type.size())};
}

/// The edges of a rectangle of doubles that is as square as powers of two allow, the longer one first.
struct Rectangle {
  std::int64_t long_edge, short_edge;
};
Rectangle rectangle(std::int64_t bytes) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes / real))) - 1;
  return {std::int64_t{1} << ((bits + 1) / 2), std::int64_t{1} << (bits / 2)};
}

/// A layer of one cell normal to x (fastest) of an array with a halo of one: single doubles at two strides.
Problem face_x(std::int64_t bytes) {
  constexpr std::int64_t interior = 30;
  const auto [z, y] = rectangle(bytes);
  return {subarray({z + 2, y + 2, interior + 2}, {z, y, 1}, {1, 1, 1}, Order::c, Named::double_)};
}

/// The same normal to y: rows of x, one a plane.
Problem face_y(std::int64_t bytes) {
  constexpr std::int64_t interior = 2;
  const auto [x, z] = rectangle(bytes);
  const std::int64_t row = real * (x + 2);
  const std::int64_t plane = (interior + 2) * row;
  return {subarray({z + 2, interior + 2, x + 2}, {z, 1, x}, {1, 1, 1}, Order::c, Named::double_), 1,
          Pitched{real * x, z, plane, plane + row + real}};
}

/// A matrix of doubles, column by column.
Problem transpose(std::int64_t bytes) {
  const auto [columns, rows] = rectangle(bytes);
  return {resized(vector(rows, 1, columns, Named::double_), 0, real), columns};
}

Case vectors(const std::string& name, std::int64_t block, std::int64_t stride, Named element) {
  const std::int64_t width = block * Datatype(element).size();
  return {name, [=](std::int64_t bytes) { return blocks(bytes, block, stride, element); }, 2 * width, most,
          most_on_host};
}

}  // namespace

std::vector<Case> cases() {
  constexpr std::int64_t least = 64;
  return {{contiguous_case, gapless, real, most, most},
          vectors("vector-8", 1, 8, Named::double_),
          vectors("vector-32", 4, 32, Named::double_),
          {"struct", particles, least, most, most_on_host},
          vectors("vector-128", 16, 128, Named::double_),
          {"face-y", face_y, least, most, most_on_host},
          vectors("vector-4", 1, 16, Named::float_),
          {"face-x", face_x, least, most_on_host, most_on_host / 4},
          {"indexed", varying_blocks, least, most_on_host, most_on_host},
          {"transpose", transpose, least, most, most_on_host}};
}

}  // namespace typewarp::pingpong
