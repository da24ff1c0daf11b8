// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/gpu.hpp"
#include "engine/runtime/cuda/driver.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/memory.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <cstring>
#include <thread>

namespace typewarp::test {
namespace {

CUcontext current() {
  static const auto get = gpu::driver_entry<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
  CUcontext context = nullptr;
  EXPECT_EQ(get(&context), CUDA_SUCCESS);
  return context;
}

/// A context beside the primary one of device 0, current in the thread that made it, as GCC's runtime of
/// OpenACC makes one.
class OwnContext {
 public:
  OwnContext() {
    static const auto create = gpu::driver_entry<PFN_cuCtxCreate_v3020>("cuCtxCreate", 3020);
    EXPECT_EQ(create(&context_, 0, 0), CUDA_SUCCESS);
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  ~OwnContext() {
    static const auto destroy = gpu::driver_entry<PFN_cuCtxDestroy_v4000>("cuCtxDestroy", 4000);
    EXPECT_EQ(destroy(context_), CUDA_SUCCESS);
    EXPECT_CUDA(cudaSetDevice(0));
  }
  CUcontext get() const { return context_; }

 private:
  CUcontext context_ = nullptr;
};

/// Packs memory of the current context on a stream of the library, as a message does.
void expect_packed(const Datatype& type, Source packed, std::uint32_t seed) {
  OneItem it(type, packed);
  const auto expected = it.fill(seed);
  const Stream stream = gpu::private_stream(0);
  it.pack(stream);
  gpu::Event(0, stream).wait();
  EXPECT_EQ(it.packed_bytes(), expected) << name(packed);
}

void expect_packed_in_all_ways() {
  for (const Source packed : {Source::device, Source::pinned}) {
    expect_packed(vector(1000, 1, 4, Named::double_), packed, 1);
    expect_packed(indexed({1, 5, 2}, {0, 3, 100}, Named::double_), packed, 2);
    expect_packed(contiguous(1000, Named::double_), packed, 3);
    expect_packed(vector(500, 17, 24, Named::byte), packed, 4);
  }
}

TEST(Contexts, OfTheProgramAreAsGoodAsThePrimaryOne) {
  TYPEWARP_NEEDS_GPU();
  {
    const OwnContext own;
    expect_packed_in_all_ways();
    EXPECT_EQ(current(), own.get());
  }
  expect_packed_in_all_ways();  // by what the library made meanwhile
  {
    const OwnContext own;
    expect_packed_in_all_ways();
    std::thread([] { expect_packed_in_all_ways(); }).join();
    EXPECT_EQ(current(), own.get());
  }
  EXPECT_CUDA(cudaGetLastError());
}

/// A move on a stream of the program's context, between what that holds before and behind. Where the stream
/// is held back, nothing waits for it.
void expect_in_order(Stream stream, const Hints& hints, bool held) {
  OneItem it(vector(1000, 1, 4, Named::double_));
  it.plan = it.plan.with(hints);
  const auto data = noise(it.plan.extent(), 3);
  const auto fresh = allocate(Source::pinned, it.plan.extent());
  const auto got = allocate(Source::pinned, it.plan.size());
  fresh->write(data);
  it.fill(4);
  Gate gate(stream);
  if (!held) gate.open();
  ASSERT_CUDA(cudaMemcpyAsync(it.user->data(), fresh->data(), data.size(), cudaMemcpyDefault, stream));
  it.pack(stream);
  EXPECT_TRUE(!held || gate.closed());
  ASSERT_CUDA(cudaMemcpyAsync(got->data(), it.packed->data(), static_cast<std::size_t>(it.plan.size()),
                              cudaMemcpyDefault, stream));
  const gpu::Event event(0, stream);
  EXPECT_FALSE(held && event.done());
  gate.open();
  event.wait();
  EXPECT_EQ(contents(*got, it.plan.size()), packed_on_host(data.data(), 1, it.plan));
}

TEST(Contexts, OfTheProgramOrderByTheirOwnStreams) {
  TYPEWARP_NEEDS_GPU();
  expect_packed_in_all_ways();  // so that nothing is there for the first time
  const OwnContext own;
  const OwnStream stream;
  for (const bool held : {false, true}) {  // what a context does for the first time may wait for it
    for (const Priority priority : {Priority::automatic, Priority::high}) {
      const Hints hints{.priority = priority};
      expect_in_order(stream.get(), hints, held);
      expect_in_order(nullptr, hints, held);
    }
  }
  EXPECT_EQ(current(), own.get());
  EXPECT_CUDA(cudaGetLastError());
}

TEST(Contexts, OfTheProgramAreCapturedUndisturbed) {
  TYPEWARP_NEEDS_GPU();
  const OwnContext own;
  OneItem it(vector(1000, 1, 4, Named::double_));
  const auto expected = it.fill(5);
  cudaStream_t blocking = nullptr;  // which the default stream waits for
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamCreateWithFlags(&blocking, 0));
  ASSERT_CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
  const Stream stream = gpu::private_stream(0);
  it.pack(stream);
  const gpu::Event event(0, stream);
  EXPECT_CUDA(cudaStreamEndCapture(blocking, &graph));
  event.wait();
  EXPECT_EQ(it.packed_bytes(), expected);
  EXPECT_CUDA(cudaGraphDestroy(graph));
  EXPECT_CUDA(cudaStreamDestroy(blocking));
  EXPECT_CUDA(cudaGetLastError());
}

TEST(Contexts, OfTheProgramTakeNothingOfTheLibraryWithThem) {
  TYPEWARP_NEEDS_GPU();
  std::byte* kept = nullptr;
  constexpr std::int64_t bytes = std::int64_t{128} << 20;  // which the pool has of no other test
  {
    const OwnContext own;
    const gpu::PinnedBuffer buffer(bytes);
    kept = buffer.data();
  }
  const gpu::PinnedBuffer buffer(bytes);
  EXPECT_EQ(buffer.data(), kept);  // from the pool
  std::memset(buffer.data(), 1, bytes);
  EXPECT_EQ(gpu::pointer_info(buffer.data()).kind, MemoryKind::pinned);
}

TEST(Contexts, OfTheProgramStayCurrentWhereAnotherDeviceIsChosen) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const OwnContext own;
  {
    const gpu::DeviceGuard guard(1);
    EXPECT_EQ(gpu::current_device(), 1);
  }
  EXPECT_EQ(current(), own.get());
}

TEST(Contexts, OfTheProgramAreOutOfReachOfOtherDevices) {
  TYPEWARP_NEEDS_TWO_GPUS();
  const auto plain = allocate(Source::device, 64);
  const auto reachable = [](const std::byte* memory) {
    return gpu::reachable(memory, gpu::pointer_info(memory), 1);
  };
  if (!gpu::can_reach(1, 0)) GTEST_SKIP() << "needs two GPUs that reach each other";
  EXPECT_TRUE(reachable(plain->data()));
  const OwnContext own;
  const auto foreign = allocate(Source::device, 64);
  EXPECT_FALSE(reachable(foreign->data()));
}

}  // namespace
}  // namespace typewarp::test
