// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/program.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace typewarp::host {
namespace {

TEST(HostProgram, ContiguousItemsFoldIntoOneRun) {
  const Plan plan = commit(contiguous(3, Named::double_));
  const Step step = Program::of(plan).items(100);
  EXPECT_EQ(step.kind, plan::Kind::run);
  EXPECT_EQ(step.count, 2400);
  EXPECT_EQ(step.size, 2400);
}

TEST(HostProgram, ItemsThatContinueAStrideFoldIntoIt) {
  const Plan plan = commit(resized(vector(4, 1, 2, Named::double_), 0, 64));
  const Step step = Program::of(plan).items(10);
  EXPECT_EQ(step.kind, plan::Kind::repeat);
  EXPECT_EQ(step.count, 40);
  EXPECT_EQ(step.stride, 16);
  EXPECT_EQ(step.size, 320);
}

TEST(HostProgram, OtherItemsRepeatTheRoot) {
  const Plan plan = commit(vector(4, 1, 2, Named::double_));  // extent 56
  const Step step = Program::of(plan).items(10);
  EXPECT_EQ(step.kind, plan::Kind::repeat);
  EXPECT_EQ(step.count, 10);
  EXPECT_EQ(step.stride, 56);
  EXPECT_EQ(step.child_size, 32);
}

TEST(HostProgram, SizesSaturate) {
  const Plan plan = commit(vector(4, 1, 2, Named::double_));
  EXPECT_EQ(Program::of(plan).items(std::numeric_limits<std::int64_t>::max()).size,
            std::numeric_limits<std::int64_t>::max());
}

TEST(HostProgram, CountsRuns) {
  EXPECT_EQ(Program::of(commit(contiguous(7, Named::int_))).runs(), 1);
  EXPECT_EQ(Program::of(commit(vector(5, 2, 3, Named::int_))).runs(), 5);
  EXPECT_EQ(Program::of(commit(contiguous(0, Named::int_))).runs(), 0);
  const Datatype rows = resized(vector(5, 2, 3, Named::int_), 0, 1000);
  EXPECT_EQ(Program::of(commit(contiguous(4, rows))).runs(), 20);
}

TEST(HostProgram, NearlyEqualBlocksBecomeUnits) {
  const Plan plan = commit(hindexed({1, 1, 2, 1}, {0, 40, 100, 8}, Named::double_));
  const Step step = Program::of(plan).items(1);
  EXPECT_EQ(step.kind, plan::Kind::blocks);
  EXPECT_EQ(step.count, 5);
  EXPECT_EQ(step.child_size, 8);
  EXPECT_EQ(entry(step.displacements, step.width, 3), 108);
}

TEST(HostProgram, VeryUnequalBlocksStay) {
  const Plan plan = commit(hindexed({1, 1, 20, 1}, {0, 40, 100, 8}, Named::double_));
  EXPECT_EQ(Program::of(plan).items(1).kind, plan::Kind::varying);
}

TEST(HostProgram, UnitsBeyond32BitsTakeWideEntries) {
  constexpr std::int64_t edge = (std::int64_t{1} << 31) - 8;
  const Plan plan = commit(hindexed({1, 2, 1, 1}, {0, edge, 40, 24}, Named::double_));
  const Step step = Program::of(plan).items(1);
  ASSERT_EQ(step.kind, plan::Kind::blocks);
  EXPECT_EQ(step.width, 8);
  EXPECT_EQ(entry(step.displacements, step.width, 2), edge + 8);
}

TEST(HostProgram, IsMadeOnce) {
  const Plan plan = commit(contiguous(3, Named::double_));
  const Plan copy = plan;
  EXPECT_EQ(&Program::of(plan), &Program::of(copy));
}

}  // namespace
}  // namespace typewarp::host
