// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/device_users.hpp"

#include "engine/runtime/gpu_sharing.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <gtest/gtest.h>

#include <array>

namespace typewarp::interpose {
namespace {

using Words = std::shared_ptr<DeviceUsers::Word[]>;

std::array<std::uint64_t, 3> told(const Words& words) { return {words[0], words[1], words[2]}; }

// Each rank as its process would be, but for what that knows of its devices: all are in this one.
TEST(DeviceUsersTest, TellOfTheMemorysDeviceAndFindWhoHasItToo) {
  constexpr std::size_t ranks = 3;
  const Words words(new DeviceUsers::Word[ranks]{});
  DeviceUsers first(words, ranks, 0), third(words, ranks, 2);
  const auto host = test::allocate(test::Source::pageable, 64);
  const auto device = test::allocate(test::Source::device, 64);

  first.look(nullptr);
  first.look(host->data());
  EXPECT_EQ(told(words), (std::array<std::uint64_t, 3>{})) << "host memory is no device's";
  first.look(device->data());
  const std::uint64_t name = words[0];
  EXPECT_NE(name, 0u);
  EXPECT_EQ(gpu::sharing(0), gpu::Sharing::alone) << "nobody else has told";
  words[1] = name + 1;
  first.look(device->data());
  EXPECT_EQ(gpu::sharing(0), gpu::Sharing::alone) << "another rank has another device";

  third.look(device->data());
  EXPECT_EQ(words[2], name);
  EXPECT_EQ(gpu::sharing(0), gpu::Sharing::time_sliced);
}

}  // namespace
}  // namespace typewarp::interpose
