// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/buffer/stream_point.hpp"

#include "engine/device/gpu.hpp"
#include "transport/fake_device/fake_device.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace typewarp::test {
namespace {

using transport::StreamPoint;

/// Gives a stream of the fake device so many fragments of work, of which it does one whenever it is asked.
Stream busy(int fragments) {
  static std::byte from{}, to{};
  const Stream stream = gpu::private_stream(0, gpu::StreamRole::preparation);
  for (int i = 0; i < fragments; ++i) gpu::copy({nullptr, 1, &to}, {nullptr, 1, &from}, {0, 1}, {0, stream});
  return stream;
}

TEST(StreamPoint, HasComeWhereThereIsNothingToWaitFor) {
  StreamPoint turn;
  EXPECT_TRUE(turn.reached(false));
}

TEST(StreamPoint, IsAskedAboutUntilItComes) {
  StreamPoint turn(0, busy(3));
  EXPECT_FALSE(turn.reached(false));
  EXPECT_FALSE(turn.reached(false));
  EXPECT_TRUE(turn.reached(false));
}

TEST(StreamPoint, ComesForAllItsCopiesAtOnce) {
  const std::size_t others = moves_under_way();
  const Stream stream = busy(3);
  StreamPoint turn(0, stream);
  StreamPoint copy = turn;
  EXPECT_TRUE(turn.reached(true));
  busy(1);  // which they do not wait for
  EXPECT_TRUE(copy.reached(false));
  EXPECT_TRUE(copy.reached(false));
  EXPECT_EQ(moves_under_way(), others + 1);
  EXPECT_TRUE(StreamPoint(0, stream).reached(true));
}

TEST(StreamPoint, IsAskedAboutForAllItsCopiesOnceAMicrosecond) {
  using Clock = std::chrono::steady_clock;
  StreamPoint turn(0, busy(1'000));
  std::vector<StreamPoint> copies(100, turn);
  const int before = events_asked();
  const Clock::time_point start = Clock::now();
  for (StreamPoint& copy : copies) EXPECT_FALSE(copy.reached(false));
  const std::chrono::duration<double, std::micro> passed = Clock::now() - start;
  EXPECT_LE(events_asked() - before, 1 + passed.count());
  EXPECT_TRUE(turn.reached(true));
}

TEST(StreamPoint, TellsEachCopyOnceOfWhatFailed) {
  const FailingDevice failing(DeviceFailure::execution, 1);
  StreamPoint turn(0, busy(1));
  StreamPoint copy = turn;
  EXPECT_THROW(turn.reached(true), GpuError);
  EXPECT_TRUE(turn.reached(true));
  EXPECT_THROW(copy.reached(false), GpuError);
  EXPECT_TRUE(copy.reached(false));
}

TEST(StreamPoint, ComesForThreadsThatWaitTogether) {
  StreamPoint turn(0, busy(10'000));
  std::thread other([copy = turn]() mutable { EXPECT_TRUE(copy.reached(true)); });
  EXPECT_TRUE(turn.reached(true));
  other.join();
}

}  // namespace
}  // namespace typewarp::test
