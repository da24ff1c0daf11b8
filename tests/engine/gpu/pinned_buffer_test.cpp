// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/memory_kinds.hpp"

#include <cstring>
#include <thread>

namespace typewarp::test {
namespace {

TEST(PinnedBuffer, IsPinnedAndWritable) {
  TYPEWARP_NEEDS_GPU();
  const gpu::PinnedBuffer buffer(100000);
  EXPECT_EQ(pointer_info(buffer.data()).kind, MemoryKind::pinned);
  EXPECT_EQ(pointer_info(buffer.data() + 99999).kind, MemoryKind::pinned);
  std::memset(buffer.data(), 7, 100000);
  EXPECT_EQ(buffer.data()[99999], std::byte{7});
}

TEST(PinnedBuffer, IsReusedBySizeClass) {
  TYPEWARP_NEEDS_GPU();
  const std::byte* first = nullptr;
  {
    const gpu::PinnedBuffer buffer(70000);
    first = buffer.data();
  }
  const gpu::PinnedBuffer same_class(130000);
  EXPECT_EQ(same_class.data(), first);
  const gpu::PinnedBuffer other(70000);
  EXPECT_NE(other.data(), first);
}

TEST(PinnedBuffer, MovesWithoutCopying) {
  TYPEWARP_NEEDS_GPU();
  gpu::PinnedBuffer buffer(10);
  const std::byte* data = buffer.data();
  gpu::PinnedBuffer moved(std::move(buffer));
  EXPECT_EQ(moved.data(), data);
  gpu::PinnedBuffer assigned;
  EXPECT_EQ(assigned.data(), nullptr);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), data);
}

TEST(PinnedBuffer, AbandonedMemoryDoesNotComeBack) {
  TYPEWARP_NEEDS_GPU();
  const std::byte* gone = nullptr;
  {
    gpu::PinnedBuffer buffer(300000);
    gone = buffer.data();
    buffer.abandon();
    EXPECT_EQ(buffer.data(), nullptr);
  }
  const gpu::PinnedBuffer next(300000);
  EXPECT_NE(next.data(), gone);
  EXPECT_EQ(pointer_info(gone).kind, MemoryKind::pinned);  // still mapped, for whoever uses it
}

TEST(PinnedBuffer, SaysWhatFailed) {
  TYPEWARP_NEEDS_GPU();
  try {
    const gpu::PinnedBuffer impossible(std::int64_t{1} << 50);
    FAIL() << "no error";
  } catch (const GpuError& error) {
    EXPECT_NE(std::string(error.what()).find("cudaHostAlloc"), std::string::npos) << error.what();
    EXPECT_EQ(error.code(), cudaErrorMemoryAllocation) << error.what();
  }
  EXPECT_CUDA(cudaPeekAtLastError());
  EXPECT_THROW(gpu::PinnedBuffer(-1), InvalidArgument);
}

TEST(PinnedBuffer, ServesManyThreads) {
  TYPEWARP_NEEDS_GPU();
  std::vector<std::thread> threads;
  std::atomic<int> torn = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &torn] {
      for (int i = 0; i < 200; ++i) {
        const gpu::PinnedBuffer buffer(5000);
        std::memset(buffer.data(), t, 5000);
        std::this_thread::yield();
        for (int k = 0; k < 5000; ++k) torn += buffer.data()[k] == static_cast<std::byte>(t) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace typewarp::test
