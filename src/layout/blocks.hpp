// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/repeat.hpp"

#include <span>

/// The rewrite rules for lists of equal children.
namespace typewarp::layout {

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
