// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tuning/policy.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

using enum gpu::Sharing;

TEST(SharingPolicy, LeavesADeviceOfItsOwnToKernels) {
  for (const std::int64_t bytes : {0, 64 << 10, 1 << 30})
    EXPECT_FALSE(engines_come_first(alone, bytes)) << bytes;
}

TEST(SharingPolicy, TakesCopyEnginesOfATimeSlicedDeviceWhateverTheLength) {
  for (const std::int64_t bytes : {1, 64 << 10, 1 << 30})
    EXPECT_TRUE(engines_come_first(time_sliced, bytes)) << bytes;
}

TEST(SharingPolicy, HasBoundsUnderMps) {
  constexpr std::int64_t least = sharing_policy.mps_begin;
  constexpr std::int64_t end = sharing_policy.mps_end;
  EXPECT_FALSE(engines_come_first(mps, least - 1));
  EXPECT_TRUE(engines_come_first(mps, least));
  EXPECT_TRUE(engines_come_first(mps, end - 1));
  EXPECT_FALSE(engines_come_first(mps, end));
}

}  // namespace
}  // namespace typewarp::transport
