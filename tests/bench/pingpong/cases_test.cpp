// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <typewarp/layout.hpp>

#include <gtest/gtest.h>

namespace typewarp::pingpong {
namespace {

constexpr std::int64_t large = std::int64_t{1} << 20;

TEST(Cases, HoldNearlyTheBytesWanted) {
  for (const Case& which : cases()) {
    for (std::int64_t bytes = which.least; bytes <= large; bytes *= 2) {
      const Problem problem = which.make(bytes);
      const std::int64_t size = problem.count * problem.type.size();
      EXPECT_LE(size, bytes) << which.name;
      EXPECT_GT(size, bytes - 17) << which.name << ", " << bytes;
    }
  }
}

TEST(Cases, AreNotContiguousButForOne) {
  for (const Case& which : cases()) {
    const Problem problem = which.make(large);
    const layout::Node& root = *normalise(problem.type, problem.count).root;
    EXPECT_EQ(std::holds_alternative<layout::Run>(root.shape), which.name == contiguous_case) << which.name;
  }
}

TEST(Cases, AreTheRowsThatTheySay) {
  int with_rows = 0;
  for (const Case& which : cases()) {
    const Problem problem = which.make(which.least * 4);
    if (!problem.pitched) continue;
    const Pitched& rows = *problem.pitched;
    const Datatype said = hindexed({1}, {rows.offset},
                                   hvector(rows.height, 1, rows.pitch, contiguous(rows.width, Named::byte)));
    EXPECT_EQ(normalise(said), normalise(problem.type, problem.count)) << which.name;
    ++with_rows;
  }
  EXPECT_EQ(with_rows, 6);
}

TEST(Cases, SpanNoMoreHostMemoryThanTwoRanksHave) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (const Case& which : cases()) {
    if (which.name == contiguous_case) continue;
    const Problem problem = which.make(large);
    const Layout layout = normalise(problem.type, problem.count);
    EXPECT_LE((layout.offset + layout.root->true_ub) * (which.most_on_host / large), most + most / 4)
        << which.name;
  }
}

}  // namespace
}  // namespace typewarp::pingpong
