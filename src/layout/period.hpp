// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace typewarp::layout {

/// The smallest p that divides the list's length n so that the list is n / p translated copies of its
/// first p blocks: same_block(i, i + p) for all i, and displacements[i + p] - displacements[i] all equal.
/// n if there is none smaller. Linear in n: the borders of the list of (block, distance to the next) are
/// found by Knuth, Morris and Pratt's failure function.
template <typename SameBlock>
std::size_t smallest_period(std::span<const std::int64_t> displacements, SameBlock same_block) {
  const std::size_t n = displacements.size();
  if (n < 2) return n;
  // Item k: block k and its distance to block k + 1. The last block has no distance, and is checked at the
  // end.
  const std::size_t items = n - 1;
  const auto same_item = [&](std::size_t i, std::size_t k) {
    return displacements[i + 1] - displacements[i] == displacements[k + 1] - displacements[k] &&
           same_block(i, k);
  };
  std::vector<std::size_t> border(items, 0);  // longest proper prefix of items [0, k] that is also a suffix
  for (std::size_t k = 1; k < items; ++k) {
    std::size_t length = border[k - 1];
    while (length > 0 && !same_item(length, k)) length = border[length - 1];
    if (same_item(length, k)) ++length;
    border[k] = length;
  }
  for (std::size_t length = border[items - 1];; length = border[length - 1]) {
    const std::size_t period = items - length;
    if (period > n / 2) return n;
    if (n % period == 0 && same_block(n - 1 - period, n - 1)) return period;
    if (length == 0) return n;
  }
}

}  // namespace typewarp::layout
