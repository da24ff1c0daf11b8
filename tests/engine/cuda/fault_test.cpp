// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
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
  /// Starts an operation on memory that is gone by then.
  Persistent start_on_freed_memory() {
    void* user = nullptr;
    void* packed = nullptr;
    // More than CUDA keeps mapped when it is freed.
    constexpr std::size_t bytes = std::size_t{1} << 30;
    constexpr std::int64_t stride = 1 << 20;  // doubles: over all of it
    EXPECT_EQ(cudaMalloc(&user, bytes), cudaSuccess);
    EXPECT_EQ(cudaHostAlloc(&packed, 1024, cudaHostAllocMapped), cudaSuccess);
    Persistent operation = Persistent::pack(user, 1, commit(vector(128, 1, stride, Named::double_)), packed);
    EXPECT_EQ(cudaFree(user), cudaSuccess);
    operation.start(nullptr);
    return operation;
  }
};

TEST_F(Fault, SurfacesWhenWaiting) {
  if (!gpu_present()) GTEST_SKIP() << "needs a GPU";
  Persistent operation = start_on_freed_memory();
  EXPECT_THROW(operation.wait(), CudaError);
}

TEST_F(Fault, SurfacesWhenAsking) {
  if (!gpu_present()) GTEST_SKIP() << "needs a GPU";
  Persistent operation = start_on_freed_memory();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto poll = [&] {
    while (std::chrono::steady_clock::now() < deadline) EXPECT_FALSE(operation.done());
  };
  EXPECT_THROW(poll(), CudaError);
}

}  // namespace
}  // namespace typewarp
