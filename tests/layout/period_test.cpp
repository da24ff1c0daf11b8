// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/period.hpp"

#include <gtest/gtest.h>

#include <random>

namespace typewarp::layout {
namespace {

using List = std::vector<std::int64_t>;

std::size_t period_of(const List& displacements, const List& counts) {
  return smallest_period(displacements,
                         [&counts](std::size_t i, std::size_t k) { return counts[i] == counts[k]; });
}

// The definition, tried for every divisor.
std::size_t naive_period(const List& displacements, const List& counts) {
  const std::size_t n = displacements.size();
  for (std::size_t p = 1; p < n; ++p) {
    if (n % p != 0) continue;
    bool periodic = true;
    for (std::size_t i = 0; i + p < n && periodic; ++i) {
      periodic = counts[i] == counts[i + p] &&
                 displacements[i + p] - displacements[i] == displacements[p] - displacements[0];
    }
    if (periodic) return p;
  }
  return n;
}

TEST(SmallestPeriod, EqualsTheDefinitionOnRandomLists) {
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    const std::size_t base = 1 + random() % 6;
    const std::size_t copies = 1 + random() % 12;
    List displacements;
    List counts;
    List unit(base);
    List unit_counts(base);
    for (std::int64_t& value : unit) value = static_cast<std::int64_t>(random() % 4);
    for (std::int64_t& value : unit_counts) value = 1 + static_cast<std::int64_t>(random() % 2);
    const auto stride = static_cast<std::int64_t>(random() % 8);
    for (std::size_t copy = 0; copy < copies; ++copy) {
      for (std::size_t i = 0; i < base; ++i) {
        displacements.push_back(unit[i] + static_cast<std::int64_t>(copy) * stride);
        counts.push_back(unit_counts[i]);
      }
    }
    if (random() % 4 == 0) displacements[random() % displacements.size()] += 1;
    if (random() % 8 == 0) counts[random() % counts.size()] += 1;
    ASSERT_EQ(period_of(displacements, counts), naive_period(displacements, counts)) << "round " << round;
  }
}

TEST(SmallestPeriod, OfListsWithALongPeriod) {
  // 7 * 11 * 13 copies of 30 blocks, then the same with the last block elsewhere.
  List displacements;
  for (std::int64_t copy = 0; copy < 1001; ++copy) {
    for (std::int64_t i = 0; i < 30; ++i) displacements.push_back(copy * 1000 + i * i);
  }
  const List counts(displacements.size(), 1);
  EXPECT_EQ(period_of(displacements, counts), 30U);
  displacements.back() += 1;
  EXPECT_EQ(period_of(displacements, counts), displacements.size());
}

}  // namespace
}  // namespace typewarp::layout
