// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/arguments.hpp"
#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "engine/dispatch.hpp"

#include <optional>

namespace typewarp::test {
namespace {

/// Makes `device` current for a scope.
class Current {
 public:
  explicit Current(int device) { EXPECT_CUDA(cudaSetDevice(device)); }
  ~Current() { EXPECT_CUDA(cudaSetDevice(0)); }
};

std::unique_ptr<Memory> allocate_on(int device, std::int64_t bytes) {
  const Current current(device);
  return allocate(Source::device, bytes);
}

void synchronise_all() {
  for (int device = 0; device < 2; ++device) {
    const Current current(device);
    ASSERT_CUDA(cudaDeviceSynchronize());
  }
}

TEST(Peers, DataDecidesTheDevice) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const Plan plan = commit(indexed({1, 5, 2}, {0, 3, 100}, Named::double_));
  const auto data = noise(plan.extent(), 1);
  const auto user = allocate_on(1, plan.extent());
  const auto packed = allocate_on(1, plan.size());
  EXPECT_EQ(pointer_info(user->data()).device, 1);
  user->write(data);
  synchronise_all();
  pack(user->data(), 1, plan, packed->data(), nullptr);
  int current = -1;
  ASSERT_CUDA(cudaGetDevice(&current));
  EXPECT_EQ(current, 0);
  synchronise_all();
  EXPECT_EQ(contents(*packed, plan.size()), packed_on_host(data.data(), 1, plan));
}

/// Streams of either device, in both directions.
TEST(Peers, CopiesBetweenDevices) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const Plan from = commit(vector(10000, 1, 2, Named::double_));
  const Plan to = commit(vector(10000, 1, 3, Named::double_));
  const auto data = noise(from.extent(), 2);
  for (const int source_device : {0, 1}) {
    const auto source = allocate_on(source_device, from.extent());
    source->write(data);
    for (const int stream_device : {0, 1}) {
      const auto destination = allocate_on(1 - source_device, to.extent());
      synchronise_all();
      const Current current(stream_device);
      const OwnStream stream;
      copy(source->data(), 1, from, destination->data(), 1, to, stream.get());
      stream.wait();
      const auto result = contents(*destination, to.extent());
      EXPECT_EQ(packed_on_host(result.data(), 1, to), packed_on_host(data.data(), 1, from));
    }
  }
}

/// Peer access does not open such memory, and a kernel that touches it would spoil the whole process.
TEST(Peers, StageMemoryOfAPool) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const Plan plan = commit(vector(10000, 1, 2, Named::double_));
  const auto data = noise(plan.extent(), 3);
  const auto expected = packed_on_host(data.data(), 1, plan);
  const auto packed = allocate_on(0, plan.size());
  const auto back = allocate_on(0, plan.extent());
  void* pooled = nullptr;
  {
    const Current current(1);
    int pools = 0;
    ASSERT_CUDA(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 1));
    if (pools == 0) GTEST_SKIP() << "needs a GPU with memory pools";
    const OwnStream stream;
    ASSERT_CUDA(cudaMallocAsync(&pooled, data.size(), stream.get()));
    ASSERT_CUDA(cudaMemcpyAsync(pooled, data.data(), data.size(), cudaMemcpyDefault, stream.get()));
    stream.wait();
  }
  EXPECT_TRUE(gpu::peers_may_touch(packed->data()));
  EXPECT_FALSE(gpu::peers_may_touch(pooled));
  {
    const OwnStream stream;  // of device 0
    pack(pooled, 1, plan, packed->data(), stream.get());
    stream.wait();
    EXPECT_EQ(contents(*packed, plan.size()), expected);
    // Device 1 packs what device 0 cannot reach, and must not tell where only that one can write.
    gpu::Event event(0);
    event.follow(stream.get(), [&](const gpu::LaunchContext& context) {
      engine::move("pack", engine::packed_side(packed->data(), {0, plan.size()}),
                   engine::user_side(pooled, 1, plan), {0, plan.size()}, context);
    });
    event.wait();
    EXPECT_EQ(contents(*packed, plan.size()), expected);
    unpack(packed->data(), pooled, 1, plan, stream.get());
    copy(pooled, 1, plan, back->data(), 1, plan, stream.get());
    stream.wait();
    EXPECT_EQ(packed_on_host(contents(*back, plan.extent()).data(), 1, plan), expected);
  }
  EXPECT_CUDA(cudaFree(pooled));
  synchronise_all();
}

TEST(Peers, TellTheDeviceOfAStream) {
  TYPEWARP_NEEDS_TWO_GPUS();
  for (const int device : {0, 1}) {
    std::optional<Current> current(device);
    const OwnStream stream;
    cudaGraph_t graph = nullptr;
    ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
    EXPECT_EQ(gpu::stream_device(stream.get()), device);
    ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
    EXPECT_CUDA(cudaGraphDestroy(graph));
    current.reset();
    EXPECT_EQ(gpu::stream_device(stream.get()), device);
  }
  EXPECT_EQ(gpu::stream_device(nullptr), -1);
}

TEST(Peers, ReachThemselves) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_TRUE(gpu::can_reach(0, 0));
  EXPECT_FALSE(gpu::can_reach(0, 63));
}

TEST(Peers, MayTouchWhatCudaMallocGave) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const auto plain = allocate(Source::device, 4096);
  EXPECT_TRUE(gpu::peers_may_touch(plain->data()));
  EXPECT_TRUE(gpu::peers_may_touch(plain->data() + 4095));
  const int local = 0;
  EXPECT_FALSE(gpu::peers_may_touch(&local));
  int pools = 0;
  ASSERT_CUDA(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
  if (pools == 0) return;
  void* pooled = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&pooled, 4096, stream.get()));
  EXPECT_FALSE(gpu::peers_may_touch(pooled));
  EXPECT_CUDA(cudaFreeAsync(pooled, stream.get()));
  stream.wait();
}

}  // namespace
}  // namespace typewarp::test
