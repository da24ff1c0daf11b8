// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench.hpp"

#include <functional>

/// The layouts that figures are made of, each with the hand-coded kernel and the views that say the same.
/// `packed` is the number of packed bytes wanted; where a layout cannot make exactly that, it makes the
/// nearest that is less.
namespace typewarp::bench {

/// A layout that comes in any size.
struct Family {
  std::string name;
  std::function<Problem(std::int64_t)> make;  ///< from packed bytes
};

Problem gapless(std::int64_t packed);
/// Blocks of `block` bytes, `stride` bytes apart.
Problem strided_blocks(std::int64_t packed, std::int64_t block, std::int64_t stride);
/// Blocks of the one vector into those of the other.
CopyProblem vector_to_vector(std::int64_t packed, const HandVector& from, const HandVector& to);
/// A box in the middle of a 4-D array of doubles of 64^4 elements, or 128^4 where that is too small; powers
/// of two of elements an edge, x the shortest.
Problem hypercube(std::int64_t packed);
/// The same as the bytes that a hand-written loop nest would visit.
struct Box {
  std::int64_t offset;
  std::array<HandLevel, 3> levels;
  std::int64_t run;
  std::vector<std::int64_t> sizes, starts, sides, strides;  ///< the array and the box in it, in elements
};
Box hypercube_box(std::int64_t packed);
/// The layer `width` deep below the face normal to `axis` (x fastest) of a cube of doubles.
Problem face(char axis, std::int64_t edge, std::int64_t width);
/// Three levels of strides around runs of 16 bytes.
Problem nested(std::int64_t packed);
/// Four levels of strides around runs of 8 bytes, none of which divides the next.
Problem deeply_nested(std::int64_t packed);

enum class Sequence : std::uint8_t { ascending, shuffled };
/// One block of 8 bytes at a random place in each cell of 64 bytes.
Problem cells(std::int64_t packed, Sequence sequence);
/// All doubles of an array in random order.
Problem permutation(std::int64_t packed);
/// Equal blocks at ascending displacements with random gaps of up to seven blocks.
Problem scattered_blocks(std::int64_t packed, std::int64_t block);
/// Blocks of 1 to 7 doubles with gaps of 1 to 4.
Problem varying_blocks(std::int64_t packed);
/// The lower triangle of a matrix of n x n doubles.
Problem triangle(std::int64_t n);
/// Array of struct {double; int; int; char}: 17 bytes of data every 24.
Problem particles(std::int64_t packed);
/// Array of struct {char; double; int; short}: holes between the members, 15 bytes of data every 24.
Problem mixed(std::int64_t packed);
/// A matrix of n x n elements of `word` bytes, column by column.
Problem transposed(std::int64_t n, int word);

/// "64B", "4KiB", "1GiB".
std::string size_name(std::int64_t bytes);

}  // namespace typewarp::bench
