// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/remote_plan_cache.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

Plan plan_of(std::int64_t bytes) { return commit(contiguous(bytes, Named::byte)); }
plan::Identity identity_of(std::int64_t bytes) { return plan::identity(plan_of(bytes)).value(); }

TEST(RemotePlanCache, FindsWhatItWasGiven) {
  RemotePlanCache layouts(10, 1000);
  EXPECT_FALSE(layouts.find(identity_of(3)));
  layouts.keep(identity_of(3), plan_of(3), 64);
  layouts.keep(identity_of(4), plan_of(4), 64);
  layouts.keep(identity_of(3), plan_of(3), 64);
  EXPECT_EQ(layouts.kept(), 2U);
  EXPECT_EQ(layouts.find(identity_of(3))->size(), 3);
  EXPECT_EQ(layouts.find(identity_of(4))->size(), 4);
}

TEST(RemotePlanCache, DropsWhatWasNotUsedForLongest) {
  RemotePlanCache layouts(2, 1000);
  layouts.keep(identity_of(1), plan_of(1), 64);
  layouts.keep(identity_of(2), plan_of(2), 64);
  EXPECT_TRUE(layouts.find(identity_of(1)));
  layouts.keep(identity_of(3), plan_of(3), 64);
  EXPECT_TRUE(layouts.find(identity_of(1)));
  EXPECT_FALSE(layouts.find(identity_of(2)));
  EXPECT_TRUE(layouts.find(identity_of(3)));
}

TEST(RemotePlanCache, KeepsToItsBytes) {
  RemotePlanCache layouts(100, 1000);
  for (std::int64_t i = 1; i <= 10; ++i) layouts.keep(identity_of(i), plan_of(i), 300);
  EXPECT_EQ(layouts.kept(), 3U);
  layouts.keep(identity_of(11), plan_of(11), 1000);
  EXPECT_EQ(layouts.kept(), 1U);
  layouts.keep(identity_of(12), plan_of(12), 1001);
  EXPECT_FALSE(layouts.find(identity_of(12)));
  EXPECT_EQ(layouts.kept(), 1U);
}

}  // namespace
}  // namespace typewarp::transport
