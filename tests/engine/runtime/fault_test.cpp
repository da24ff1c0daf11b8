// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/gpu.hpp"

#include <typewarp/error.hpp>
#include <typewarp/persistent.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>

/// A device that fails. Its memory is lost with it, so nothing is freed.
namespace typewarp {
namespace {

class Fault : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "needs a GPU";
    // More than CUDA keeps mapped when it is freed.
    constexpr std::size_t bytes = std::size_t{1} << 30;
    EXPECT_EQ(cudaMalloc(&user_, bytes), cudaSuccess);
    EXPECT_EQ(cudaHostAlloc(&packed_, 2048, cudaHostAllocMapped), cudaSuccess);
  }

  /// Starts an operation on memory that is gone by then.
  Persistent start_on_freed_memory() {
    Persistent operation = Persistent::pack_init(user_, 1, plan_, packed_);
    EXPECT_EQ(cudaFree(user_), cudaSuccess);
    operation.start(nullptr);
    return operation;
  }

  template <typename Done>
  static void poll(const Done& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) EXPECT_FALSE(done());
  }

  static constexpr std::int64_t stride = 1 << 19;  ///< doubles: over all of the memory
  Plan plan_ = commit(vector(256, 1, stride, Named::double_));
  void* user_ = nullptr;
  void* packed_ = nullptr;
};

TEST_F(Fault, SurfacesWhenWaiting) {
  Persistent operation = start_on_freed_memory();
  EXPECT_THROW(operation.wait(), GpuError);
}

TEST_F(Fault, SurfacesWhenAsking) {
  Persistent operation = start_on_freed_memory();
  EXPECT_THROW(poll([&] { return operation.done(); }), GpuError);
}

TEST_F(Fault, SurfacesInAnEventThatTheKernelWouldTell) {
  EXPECT_EQ(cudaFree(user_), cudaSuccess);
  const Stream stream = gpu::private_stream(0);
  gpu::Event event(0);
  event.follow(stream, [&](const gpu::LaunchContext& context) {
    gpu::copy({nullptr, 2048, packed_, MemoryKind::pinned}, {&plan_, 1, user_}, {0, 2048}, context);
  });
  EXPECT_THROW(poll([&] { return event.done(); }), GpuError);
}

}  // namespace
}  // namespace typewarp
