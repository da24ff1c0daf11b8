// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/calls.hpp"
#include "engine/device/gpu.hpp"

#include <gtest/gtest.h>

namespace typewarp {
namespace {

TEST(WithoutGpuEngine, NothingIsPresent) {
  EXPECT_FALSE(built_with_gpu());
  EXPECT_FALSE(gpu_present());
  EXPECT_FALSE(gpu::can_reach(0, 0));
  EXPECT_FALSE(gpu::peers_may_touch(nullptr));
  EXPECT_FALSE(gpu::capturing(nullptr));
  EXPECT_EQ(gpu::stream_device(nullptr), -1);
  EXPECT_EQ(gpu::PinnedBuffer().data(), nullptr);
}

TEST(WithoutGpuEngine, NothingIsShared) {
  std::string reason;
  EXPECT_FALSE(gpu::export_memory(nullptr, 0, &reason));
  EXPECT_EQ(reason, "this library was built without a GPU engine");
  reason.clear();
  EXPECT_FALSE(gpu::import_memory({}, 0, &reason));
  EXPECT_EQ(reason, "this library was built without a GPU engine");
  EXPECT_FALSE(gpu::export_memory(nullptr, 0));
  gpu::close_imports();
  EXPECT_EQ(gpu::imports().open, 0);
  EXPECT_EQ(gpu::imports().held, 0);
}

TEST(WithoutGpuEngine, SaysWhyNothingWorks) {
  EXPECT_EQ(test::message_of<GpuError>([] { gpu::PinnedBuffer(16); }),
            "typewarp::gpu::PinnedBuffer: this library was built without a GPU engine");
  EXPECT_EQ(test::message_of<GpuError>([] { gpu::Event(0, nullptr); }),
            "typewarp::gpu::Event: this library was built without a GPU engine");
  EXPECT_EQ(test::message_of<GpuError>(
                [] { gpu::copy({nullptr, 1, nullptr}, {nullptr, 1, nullptr}, {0, 1}, {0}); }),
            "typewarp::gpu::copy: this library was built without a GPU engine");
  EXPECT_EQ(test::message_of<GpuError>([] { gpu::private_stream(0); }),
            "typewarp::gpu::private_stream: this library was built without a GPU engine");
  EXPECT_EQ(test::message_of<GpuError>([] { static_cast<void>(gpu::device_name(0)); }),
            "typewarp::gpu::device_name: this library was built without a GPU engine");
  EXPECT_EQ(test::message_of<GpuError>([] { gpu::Replay(0, [](const gpu::LaunchContext&) {}); }),
            "typewarp::gpu::Replay: this library was built without a GPU engine");
}

}  // namespace
}  // namespace typewarp
