// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace typewarp::bench {
namespace {

void wait_us(int us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }

TEST(Measure, TheFirstCallIsNotTimed) {
  int calls = 0;
  const Sample sample = measure([&] { wait_us(calls++ == 0 ? 500000 : 100); });
  EXPECT_LT(sample.p90_us, 500000);
  EXPECT_GE(sample.p10_us, 100);
  EXPECT_LE(sample.p10_us, sample.median_us);
  EXPECT_LE(sample.median_us, sample.p90_us);
}

TEST(Measure, RepeatsUntilBothLimitsAreReached) {
  int calls = 0;
  measure([&] { wait_us(1000), ++calls; }, {5, 2, 8000, 1e6, 1e6});
  EXPECT_GE(calls, 1 + 5);
  EXPECT_LE(calls, 1 + 8);
}

TEST(Measure, StopsEarlyWhereRepetitionsAreSlow) {
  int calls = 0;
  measure([&] { wait_us(2000), ++calls; }, {100, 3, 1e6, 1000, 1e6});
  EXPECT_EQ(calls, 1 + 3);
}

TEST(Measure, CallsAHopelessOperationOnce) {
  int calls = 0;
  const Sample sample = measure([&] { wait_us(2000), ++calls; }, {100, 3, 1e6, 1e6, 1000});
  EXPECT_EQ(calls, 1);
  EXPECT_GE(sample.median_us, 2000);
}

}  // namespace
}  // namespace typewarp::bench
