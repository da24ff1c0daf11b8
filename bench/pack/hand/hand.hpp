// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include <cuda_runtime_api.h>

/// What a CUDA programmer writes by hand for one layout and no other: the baseline "hand".
namespace typewarp::bench {

enum class Direction : std::uint8_t { pack, unpack };

/// Moves all bytes between `buffer` (what displacements are relative to, 256-byte aligned) and `packed`
/// (likewise aligned), enqueued on the stream. Empty where nobody would write a kernel.
using HandCoded = std::function<void(Direction, std::byte* buffer, std::byte* packed, cudaStream_t)>;

// All quantities are in bytes unless they say otherwise. Words are as wide as the quantities allow.

/// `count` blocks, `stride` apart.
HandCoded hand_vector(std::int64_t count, std::int64_t block, std::int64_t stride);

/// From one layout straight into another.
using HandCodedCopy = std::function<void(std::byte* source, std::byte* destination, cudaStream_t)>;

struct HandVector {
  std::int64_t block, stride;
};
/// `bytes` of data, blocks of `from` to blocks of `to`.
HandCodedCopy hand_copy_vector(std::int64_t bytes, HandVector from, HandVector to);

struct HandLevel {
  std::int64_t count, stride;
};
/// Runs of `run` bytes repeated at three levels, outermost first, from `offset` on: subarrays of up to four
/// dimensions.
HandCoded hand_subarray(std::int64_t offset, std::array<HandLevel, 3> levels, std::int64_t run);

/// Finds the address of every word as hand_vector and hand_subarray do, and moves nothing. A kernel has to be
/// able to write something, or the compiler removes it: `sink` takes it.
using Traversal = std::function<void(std::byte* sink, cudaStream_t)>;
Traversal hand_traverse_vector(std::int64_t count, std::int64_t block, std::int64_t stride);
Traversal hand_traverse_subarray(std::int64_t offset, std::array<HandLevel, 3> levels, std::int64_t run);

/// Equal blocks at 32-bit displacements, which count in units of the widest word.
HandCoded hand_indexed_block(std::int64_t block, const std::vector<std::int64_t>& displacements);

/// Blocks of varying length by 8 threads each; lengths and displacements count doubles.
HandCoded hand_indexed(const std::vector<std::int64_t>& lengths,
                       const std::vector<std::int64_t>& displacements);

/// Row i of `n` holds i + 1 doubles, rows n doubles apart: one thread block a row.
HandCoded hand_triangle(std::int64_t n);

/// `count` of struct {double, int, int, char}, and of struct {char, double, int, short} as a compiler aligns
/// it: a thread block takes 256 through shared memory, with whole words on both sides.
HandCoded hand_particles(std::int64_t count);
HandCoded hand_mixed(std::int64_t count);
/// The same by one thread each, member by member.
HandCoded hand_particles_naive(std::int64_t count);
HandCoded hand_mixed_naive(std::int64_t count);

/// Packs a matrix of `rows` x `columns` words of 4, 8 or 16 bytes column by column: tiles through shared
/// memory.
HandCoded hand_transpose(std::int64_t rows, std::int64_t columns, int word);

}  // namespace typewarp::bench
