// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace typewarp::contention {
namespace {

// Elements that are looked at; the arrays of kernels are far longer, and nothing beyond is touched.
constexpr std::int64_t some = 2000;

TEST(Work, AddIsWrongUntilItHasRun) {
  std::vector<double> a(some);
  std::vector<double> b(some);
  std::vector<double> sum(some, -1);
  for (std::int64_t at = 0; at < some; ++at) {
    a[static_cast<std::size_t>(at)] = Add::first(at);
    b[static_cast<std::size_t>(at)] = Add::second(at);
  }
  const Add add{a.data(), b.data(), sum.data()};
  for (std::int64_t at = 0; at < some; ++at) {
    EXPECT_TRUE(add.wrong(at));
    add(at);
    EXPECT_FALSE(add.wrong(at));
  }
}

TEST(Work, LongerAddComesBackToTheSameElements) {
  std::vector<double> a{1};
  std::vector<double> b{2};
  std::vector<double> sum{0};
  Add{a.data(), b.data(), sum.data()}(3 * elements);
  EXPECT_EQ(sum[0], 3);
}

TEST(Work, StencilTakesSixNeighbours) {
  std::vector<double> now(2 * Stencil::plane + some);
  std::vector<double> next(now.size(), -1);
  for (std::size_t at = 0; at < now.size(); ++at) now[at] = Stencil::value(static_cast<std::int64_t>(at));
  const Stencil stencil{now.data(), next.data()};
  for (std::int64_t thread = 0; thread < some; ++thread) {
    const std::int64_t at = Stencil::plane + thread;
    EXPECT_TRUE(stencil.wrong(at));
    stencil(thread);
    EXPECT_FALSE(stencil.wrong(at));
  }
  EXPECT_FALSE(stencil.wrong(Stencil::plane - 1)) << "has no neighbour below";
  now[Stencil::plane + Stencil::row + 10] += 1;
  stencil(10);
  EXPECT_TRUE(stencil.wrong(Stencil::plane + 10));
}

TEST(Work, ArithmeticLeavesTheSameAfterAnyEvenNumberOfSteps) {
  std::vector<float> values(some, -1);
  for (const std::int64_t steps : {2, 512}) {
    const Arithmetic arithmetic{values.data(), steps};
    std::ranges::fill(values, -1.0F);
    for (std::int64_t at = 0; at < some; ++at) {
      EXPECT_TRUE(arithmetic.wrong(at));
      arithmetic(at);
      EXPECT_FALSE(arithmetic.wrong(at));
    }
  }
  const Arithmetic odd{values.data(), 3};
  odd(5);
  EXPECT_TRUE(odd.wrong(5)) << "steps change something";
}

TEST(Work, SaysWhatItMoves) {
  EXPECT_EQ(demand(Work::add, 10).memory, 10 * 256 * 24);
  EXPECT_EQ(demand(Work::to_host, 2).to_host, 8192);
  EXPECT_EQ(demand(Work::to_host, 2).to_device, 0);
  const Demand both = demand(Work::both_ways, 2) + demand(Work::to_device, 1);
  EXPECT_EQ(both.to_host, 8192);
  EXPECT_EQ(both.to_device, 3 * 4096);
  EXPECT_EQ(both.memory, 5 * 4096);
}

}  // namespace
}  // namespace typewarp::contention
