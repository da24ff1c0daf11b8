// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/conformance.hpp"

#include <vector>

namespace typewarp::test {

/// `count` items of a type, with the seed of everything else that is random about the case.
struct Case {
  Datatype type;
  std::int64_t count;
  std::uint64_t seed;
  std::string name;  ///< of an edge case; empty for a random type
};

/// What is known to be easy to get wrong, each with several counts.
std::vector<Case> edge_cases();

/// `most` of `cases` (all, if there are no more), always the same ones: neighbours in the table, which are
/// alike, are left out first.
std::vector<Case> spread(const std::vector<Case>& cases, std::size_t most);

/// Small types, usual ones and a few large ones. With `overlap`, some read a byte twice.
Case random_case(std::uint64_t seed, bool overlap);

/// Ranges of a packed stream of `size` bytes: the whole, random pieces, and with `cuts` both sides of every
/// cut of a stream of at most `longest_cut` bytes, and of 16 random ones of a longer stream.
std::vector<ByteRange> ranges(const Case& item, std::int64_t size, bool cuts, std::int64_t longest_cut);

/// A type whose single item has the `bytes` bytes of `item`, none of them twice: a run, another random type,
/// or, if `item` is `disjoint` itself, its own type with items at another distance.
Datatype counterpart(const Case& item, std::int64_t bytes, bool disjoint);

}  // namespace typewarp::test
