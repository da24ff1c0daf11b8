// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/blocks.hpp"

/// The first step of the rewrite rules for lists: from a list as it was spelled to one of blocks that are not
/// empty and do not continue each other.
namespace typewarp::layout {

/// What the blocks of a list are counted in: each is `factor` times as many children as it was spelled with,
/// and merges with the next where that one continues it, if `merge`.
struct Unit {
  NodePtr child;
  std::int64_t stride;
  std::int64_t factor;
  bool merge;
};

/// A list of runs counts bytes, one of repetitions counts the innermost children that continue: so that
/// neighbours can merge. Single children of another shape cannot: they have no stride in which to go on.
Unit unit_of(const BlockList& list);

/// The blocks that are left begin at `offset`, from where their displacements count. Without counts, each is
/// `common` children.
struct Compacted {
  Blocks blocks;
  std::int64_t offset = 0;
  std::int64_t common = 0;
};

Compacted compacted(const BlockList& list, const Unit& unit);

}  // namespace typewarp::layout
