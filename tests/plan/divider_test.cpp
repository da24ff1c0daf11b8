// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/divider.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace typewarp::plan {
namespace {

/// Powers of two and their neighbours up to `most`, and what multiples of `divisor` do to the last digit.
template <typename Index>
std::vector<Index> edges(Index most) {
  std::vector<Index> values{0, 3, 10, 1000003};
  for (Index power = 1; power <= most / 2; power *= 2) {
    values.push_back(power - 1);
    values.push_back(power);
    values.push_back(power + 1);
  }
  values.push_back(most);
  return values;
}

template <typename Index>
void check_divisors() {
  constexpr Index most = std::numeric_limits<Index>::max() / 2;
  for (const Index divisor : edges(most)) {
    if (divisor < 2) continue;
    const Divider<Index> divider(static_cast<std::int64_t>(divisor));
    for (const Index n : edges(most)) {
      ASSERT_EQ(divider.quotient(n), n / divisor) << n << " / " << divisor;
      const Index multiple = n / divisor * divisor;
      ASSERT_EQ(divider.quotient(multiple), multiple / divisor) << multiple << " / " << divisor;
      if (multiple > 0) {
        ASSERT_EQ(divider.quotient(multiple - 1), (multiple - 1) / divisor)
            << multiple - 1 << " / " << divisor;
      }
    }
  }
}

TEST(Divider, DividesNarrowIndices) { check_divisors<std::uint32_t>(); }

TEST(Divider, DividesWideIndices) { check_divisors<std::uint64_t>(); }

TEST(Divider, DividesEverySmallIndex) {
  for (std::int64_t divisor = 2; divisor < 300; ++divisor) {
    const Divider<std::uint32_t> divider(divisor);
    for (std::uint32_t n = 0; n < 5000; ++n) {
      ASSERT_EQ(divider.quotient(n), n / static_cast<std::uint32_t>(divisor)) << n << " / " << divisor;
    }
  }
}

}  // namespace
}  // namespace typewarp::plan
