// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/gpu.hpp"

#include <gtest/gtest.h>

namespace typewarp {
namespace {

TEST(WithoutCuda, NothingIsPresent) {
  EXPECT_FALSE(built_with_cuda());
  EXPECT_FALSE(gpu_present());
  EXPECT_FALSE(cuda::can_reach(0, 0));
  EXPECT_FALSE(cuda::peers_may_touch(nullptr));
  EXPECT_FALSE(cuda::capturing(nullptr));
  EXPECT_EQ(cuda::stream_device(nullptr), -1);
  EXPECT_EQ(cuda::PinnedBuffer().data(), nullptr);
}

TEST(WithoutCuda, NothingIsShared) {
  std::string reason;
  EXPECT_FALSE(cuda::export_memory(nullptr, 0, &reason));
  EXPECT_EQ(reason, "this library was built without CUDA");
  reason.clear();
  EXPECT_FALSE(cuda::import_memory({}, 0, &reason));
  EXPECT_EQ(reason, "this library was built without CUDA");
  EXPECT_FALSE(cuda::export_memory(nullptr, 0));
  cuda::close_imports();
  EXPECT_EQ(cuda::imports().open, 0);
  EXPECT_EQ(cuda::imports().held, 0);
}

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const CudaError& error) {
    return error.what();
  }
  return "no CudaError";
}

TEST(WithoutCuda, SaysWhyNothingWorks) {
  EXPECT_EQ(message_of([] { cuda::PinnedBuffer(16); }),
            "typewarp::cuda::PinnedBuffer: this library was built without CUDA");
  EXPECT_EQ(message_of([] { cuda::Event(0, nullptr); }),
            "typewarp::cuda::Event: this library was built without CUDA");
  EXPECT_EQ(message_of([] { cuda::copy({nullptr, 1, nullptr}, {nullptr, 1, nullptr}, {0, 1}, {0}); }),
            "typewarp::cuda::copy: this library was built without CUDA");
  EXPECT_EQ(message_of([] { cuda::private_stream(0); }),
            "typewarp::cuda::private_stream: this library was built without CUDA");
  EXPECT_EQ(message_of([] { static_cast<void>(cuda::device_name(0)); }),
            "typewarp::cuda::device_name: this library was built without CUDA");
  EXPECT_EQ(message_of([] { cuda::Replay(0, [](const cuda::LaunchContext&) {}); }),
            "typewarp::cuda::Replay: this library was built without CUDA");
}

}  // namespace
}  // namespace typewarp
