// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/fixture.hpp"

namespace typewarp {
namespace {

constexpr auto undefined = static_cast<std::int64_t>(MPI_UNDEFINED);

TEST(Status, CountsWholeItems) {
  const Plan plan = commit(vector(3, 1, 2, Named::int_));
  EXPECT_EQ((Status{0, 0, 0}).count(plan), 0);
  EXPECT_EQ((Status{0, 0, 24}).count(plan), 2);
  EXPECT_EQ((Status{0, 0, 16}).count(plan), undefined);
}

TEST(Status, CountsElements) {
  const Plan plan = commit(structure({2, 1}, {0, 8}, {Named::int_, Named::double_}));
  EXPECT_EQ((Status{0, 0, 0}).elements(plan), 0);
  EXPECT_EQ((Status{0, 0, 4}).elements(plan), 1);
  EXPECT_EQ((Status{0, 0, 16}).elements(plan), 3);
  EXPECT_EQ((Status{0, 0, 20}).elements(plan), 4);
  EXPECT_EQ((Status{0, 0, 12}).elements(plan), undefined);
}

TEST(Status, OfATypeWithoutData) {
  const Plan plan = commit(contiguous(0, Named::int_));
  EXPECT_EQ((Status{0, 0, 0}).count(plan), 0);
  EXPECT_EQ((Status{0, 0, 0}).elements(plan), 0);
  EXPECT_EQ((Status{0, 0, 8}).count(plan), undefined);
  EXPECT_EQ((Status{0, 0, 8}).elements(plan), undefined);
}

TEST(Status, BeyondInt) {
  const Plan plan = commit(contiguous(1 << 20, Named::double_));
  EXPECT_EQ((Status{0, 0, std::int64_t{1} << 40}).count(plan), 1 << 17);
  EXPECT_EQ((Status{0, 0, std::int64_t{1} << 40}).elements(plan), std::int64_t{1} << 37);
}

}  // namespace
}  // namespace typewarp
