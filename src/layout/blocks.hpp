// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/node.hpp"

#include <span>
#include <string_view>

/// The rewrite rules for equal children (those for others are in sequence.hpp): constructors that, given
/// canonical parts, return a canonical whole with the same type map in the same order. What they merge lies
/// next to each other in that order *and* in memory, within one list or one level of repetition; the last run
/// of one repetition is not merged with the first of the next, which would turn a regular layout into an
/// irregular one.
namespace typewarp::layout {

/// `count` >= 0 children, `stride` apart. Counts of one vanish; a repetition that continues its child's
/// becomes one.
Layout make_repeat(const Layout& child, std::int64_t count, std::int64_t stride);

/// Throws InvalidArgument naming `call` for a negative count, and for items whose size or places exceed 64
/// bits.
void check_repeat(std::string_view call, const Layout& child, std::int64_t count, std::int64_t stride);

/// Whether something `distance` further on continues `count` children `stride` apart, also where the product
/// exceeds 64 bits.
inline bool continues(std::int64_t distance, std::int64_t count, std::int64_t stride) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(count, stride, &product) && product == distance;
}

/// Blocks in the order given, as a constructor spells them: block i is counts[i] children (one where `counts`
/// is empty), `stride` bytes apart, at displacements[i] * unit bytes, from the same origin as the child's
/// offset. Counts may be zero; the displacement of an empty block means nothing. Refers to the lists.
struct BlockList {
  std::span<const std::int64_t> displacements, counts;
  std::int64_t unit;
  std::int64_t stride;
  NodePtr child;
};

/// Adjacent blocks merge, equal ones fold: an even list becomes a repetition, a periodic one a repetition of
/// a shorter list.
Layout make_blocks(const BlockList& list, std::int64_t offset);

}  // namespace typewarp::layout
