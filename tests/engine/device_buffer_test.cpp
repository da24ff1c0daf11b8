// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"

#include <typewarp/device_buffer.hpp>
#include <typewarp/engine.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace typewarp {
namespace {

TEST(DeviceBufferTest, LiesOnItsDevice) {
  if (!gpu_present()) GTEST_SKIP() << "needs a GPU";
  DeviceBuffer buffer(0, 1000);
  const PointerInfo first = pointer_info(buffer.data());
  EXPECT_EQ(first.kind, MemoryKind::device);
  EXPECT_EQ(first.device, 0);
  const void* const data = buffer.data();
  const DeviceBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved.bytes(), 1000);
}

TEST(DeviceBufferTest, OfNoBytesNeedsNoDevice) { EXPECT_EQ(DeviceBuffer(0, 0).data(), nullptr); }

TEST(DeviceBufferTest, RefusesNegativeBytes) {
  test::expect_invalid([] { const DeviceBuffer buffer(0, -1); },
                       "DeviceBuffer: bytes = -1: must not be negative");
}

}  // namespace
}  // namespace typewarp
