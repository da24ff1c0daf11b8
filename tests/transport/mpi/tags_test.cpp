// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/tags.hpp"

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <set>

namespace typewarp::transport {
namespace {

TEST(Tags, AreDifferentWhileTheyAreTaken) {
  Tags tags(100);
  std::vector<Tag> taken;
  std::set<int> values;
  for (int i = 0; i < 100; ++i) {
    taken.push_back(tags.take());
    values.insert(taken.back().value());
  }
  EXPECT_EQ(values.size(), 100U);
  EXPECT_GE(*values.begin(), Tags::first);
  EXPECT_LE(*values.rbegin(), 100);
  EXPECT_EQ(tags.taken(), 100U);
  EXPECT_THROW((void)tags.take(), Error);
}

TEST(Tags, ComeBack) {
  Tags tags(1);
  for (int i = 0; i < 3; ++i) {
    const Tag tag = tags.take();
    EXPECT_EQ(tag.value(), Tags::first);
    EXPECT_THROW((void)tags.take(), Error);
  }
  EXPECT_EQ(tags.taken(), 0U);
}

TEST(Tags, MoveWithTheirOwner) {
  Tags tags(5);
  Tag kept;
  {
    Tag tag = tags.take();
    kept = std::move(tag);
  }
  EXPECT_EQ(tags.taken(), 1U);
  kept = Tag();
  EXPECT_EQ(tags.taken(), 0U);
}

}  // namespace
}  // namespace typewarp::transport
