// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/transpose.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace typewarp::gpu {
namespace {

/// Where tiles begin to pay, as measured on an H200.
struct Worth {
  std::int64_t bytes = std::int64_t{512}
                       << 10;  ///< fewer sit in the caches, and the plain kernels start faster
  std::int64_t segment = 64;   ///< bytes that memory moves at a time; longer runs waste little of them
  std::int64_t nearer = 2;     ///< how many times nearer a later level must be than any before it
  /// Runs from one neighbour in memory to the next within the stream. Fewer, and the threads of a warp share
  /// the segments that they touch.
  std::int64_t runs_between = 5;
};

constexpr std::int64_t index_limit = std::int64_t{1} << 31;
/// Cells of the largest tile: no axis has more of them inside a tile.
constexpr std::int64_t longest_tile = 4096;

std::optional<Transposition> in_words(const Strided& shape, int word) {
  Transposition result;
  result.word = word;
  std::int64_t words = shape.levels[0].count / word;
  result.axes.add({words, 1, word});
  for (std::size_t i = 1; i < shape.depth; ++i) {
    const Level& level = shape.levels[i];
    result.axes.add({level.count, words, level.stride});
    if (__builtin_mul_overflow(words, level.count, &words) || words >= index_limit) return std::nullopt;
  }
  return result;
}

bool pays(const Strided& shape, const Worth& worth) {
  const std::int64_t run = shape.levels[0].count;
  if (run >= worth.segment) return false;
  std::int64_t nearest_before = std::numeric_limits<std::int64_t>::max();
  std::int64_t runs = 1;
  for (std::size_t i = 1; i < shape.depth; ++i) {
    const std::int64_t distance = std::abs(shape.levels[i].stride);
    const bool separate = distance >= run;
    if (i > 1 && separate && distance < worth.segment && worth.nearer * distance <= nearest_before &&
        runs >= worth.runs_between) {
      return true;
    }
    nearest_before = std::min(nearest_before, distance);
    if (runs < worth.runs_between) runs *= std::min(shape.levels[i].count, worth.runs_between);
  }
  return false;
}

/// Whether offsets within any tile fit 31 bits, counted in words.
bool near_enough(const Transposition& transposition) {
  std::int64_t reach = 0;
  for (const Axis& axis : transposition.axes) {
    const std::int64_t distance = std::abs(axis.memory) / transposition.word;
    if (distance >= index_limit) return false;
    reach += (std::min(axis.count, longest_tile) - 1) * distance;
  }
  return reach < index_limit;
}

bool can_transposed(const Query& query) { return tiled(query.move).has_value(); }
bool suits_transposed(const Query& query) {
  const MoveTraits& move = query.move;
  return move.has_packed_side() && tiles_pay(move.layout().shape(), move.bytes()) && can_transposed(query);
}

}  // namespace

constinit const MethodRow transposed_row{
    .method = Method::transposed,
    .rule =
        [] {
          return std::string(
              "an outer level steps nearer than those inside it, in short runs, and enough bytes for "
              "tiles to pay");
        },
    .needs = "a regular layout of two axes and more, and packed bytes",
    .can = can_transposed,
    .suits = suits_transposed};

std::int64_t Transposition::offset(std::int64_t index) const noexcept {
  std::int64_t result = 0;
  for (const Axis& axis : axes) result += index / axis.packed % axis.count * axis.memory;
  return result;
}

std::optional<Transposition> transposition(const Strided& shape, int word) {
  std::optional<Transposition> result = in_words(shape, word);
  if (!result || result->axes.depth < 2 || !near_enough(*result)) return std::nullopt;
  return result;
}

bool tiles_pay(const Shape& shape, std::int64_t bytes) {
  constexpr Worth worth;
  return bytes >= worth.bytes && shape.lookup == Lookup::none && pays(shape.strided, worth);
}

}  // namespace typewarp::gpu
