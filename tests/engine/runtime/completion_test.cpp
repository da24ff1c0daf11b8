// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/completion.hpp"

#include <gtest/gtest.h>

namespace typewarp::gpu {
namespace {

constexpr int the_device = 1;

class Completing : public testing::Test {
 protected:
  /// Whether a launch on `device` that can count got the counter.
  bool launch_counting(int device = the_device) {
    const bool taken = completion_.take(device).reached == &reached_;
    completion_.launched();
    return taken;
  }

  std::uint64_t count_[2] = {};
  std::uint64_t reached_ = 0;
  LaunchCompletion completion_{the_device, {count_, &reached_}};
};

TEST_F(Completing, NothingThatWasLaunchedCounts) {
  EXPECT_FALSE(completion_.counted());
  EXPECT_FALSE(completion_.last());
}

TEST_F(Completing, TheFirstThatCanCountDoes) {
  completion_.launched();  // cannot
  EXPECT_FALSE(completion_.counted());
  EXPECT_TRUE(launch_counting());
  EXPECT_TRUE(completion_.counted());
  EXPECT_TRUE(completion_.last());
}

TEST_F(Completing, WhatFollowsTheCountIsNotCovered) {
  EXPECT_TRUE(launch_counting());
  EXPECT_FALSE(launch_counting());  // one only
  EXPECT_TRUE(completion_.counted());
  EXPECT_FALSE(completion_.last());
}

TEST_F(Completing, AnotherDeviceDoesNotReachTheCounter) {
  EXPECT_FALSE(launch_counting(the_device + 1));
  EXPECT_FALSE(completion_.counted());
}

TEST_F(Completing, AKernelWhoseLaunchFailedDoesNotCount) {
  EXPECT_EQ(completion_.take(the_device).reached, &reached_);
  EXPECT_FALSE(completion_.counted());
  EXPECT_FALSE(completion_.last());
}

TEST_F(Completing, WithoutACounterNothingCounts) {
  LaunchCompletion none(the_device);
  EXPECT_EQ(none.take(the_device).reached, nullptr);
  none.launched();
  EXPECT_FALSE(none.counted());
}

}  // namespace
}  // namespace typewarp::gpu
