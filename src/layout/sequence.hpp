// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace typewarp::layout {

/// What may be written out of what `spelled` entries of lists, and constructors, say: what uses its parts
/// again and again takes time and memory in proportion to how it is spelled, not to how much it is.
constexpr std::int64_t longest_written(std::int64_t spelled) {
  constexpr std::int64_t always = 4096;
  constexpr std::int64_t times = 16;
  return std::max(always, times * spelled);
}

/// Parts of any shape, in order. Nested sequences are flattened; parts that differ only in where they lie or
/// how often they repeat become blocks. Where all parts written out have more than `longest` entries, a list
/// stays a part, and so does a sequence that is used more than once.
Layout make_sequence(std::vector<Layout> parts, std::int64_t longest);

}  // namespace typewarp::layout
