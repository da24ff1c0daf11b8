// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace typewarp::layout {

/// The smallest p that divides the list's length n so that the list is n / p translated copies of its
/// first p blocks: same_block(i, i + p) for all i, and displacements[i + p] - displacements[i] all equal.
/// n if there is none smaller.
///
/// With two such p, their greatest common divisor is one as well (Fine and Wilf's theorem), so the smallest
/// divides them all and is reached by taking away the primes of n, one at a time, while that gives another.
/// What succeeds halves the work at least, and what fails does so once for each different prime, most often
/// within a few entries: so this is linear in n, and takes no time on most irregular lists.
template <typename SameBlock>
std::size_t smallest_period(std::span<const std::int64_t> displacements, SameBlock same_block) {
  const std::size_t n = displacements.size();
  std::size_t period = n;
  // Whether `part` is a period, given that `period`, a multiple of it, is one.
  const auto repeats_every = [&](std::size_t part) {
    const std::int64_t step = displacements[part] - displacements[0];
    for (std::size_t i = 0; i + part < period; ++i) {
      if (displacements[i + part] - displacements[i] != step || !same_block(i, i + part)) return false;
    }
    return period == n || displacements[period] - displacements[period - part] == step;
  };
  std::size_t rest = n;
  for (std::size_t prime = 2; rest > 1; ++prime) {
    if (prime > rest / prime) prime = rest;  // nothing smaller divides it
    if (rest % prime != 0) continue;
    while (rest % prime == 0) rest /= prime;
    while (period % prime == 0 && repeats_every(period / prime)) period /= prime;
  }
  return period;
}

}  // namespace typewarp::layout
