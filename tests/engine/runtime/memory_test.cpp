// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/calls.hpp"
#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"

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
  const auto message = message_of<GpuError>([] { gpu::PinnedBuffer(std::int64_t{1} << 50); });
  EXPECT_NE(message.find("cudaHostAlloc"), std::string::npos) << message;
  EXPECT_NE(message.find(cudaGetErrorString(cudaErrorMemoryAllocation)), std::string::npos) << message;
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

constexpr std::int64_t bytes = 10000;

TEST(PointerInfo, KnowsEveryKind) {
  TYPEWARP_NEEDS_GPU();
  const auto kind_of = [](Source source) {
    const auto memory = allocate(source, bytes);
    EXPECT_EQ(pointer_info(memory->data()).kind, pointer_info(memory->data() + bytes - 1).kind);
    return pointer_info(memory->data()).kind;
  };
  EXPECT_EQ(kind_of(Source::pageable), MemoryKind::host);
  EXPECT_EQ(kind_of(Source::pinned), MemoryKind::pinned);
  EXPECT_EQ(kind_of(Source::registered), MemoryKind::pinned);
  EXPECT_EQ(kind_of(Source::managed), MemoryKind::managed);
  EXPECT_EQ(kind_of(Source::device), MemoryKind::device);
}

TEST(PointerInfo, KnowsTheDevice) {
  TYPEWARP_NEEDS_GPU();
  EXPECT_EQ(pointer_info(allocate(Source::device, bytes)->data()).device, 0);
  EXPECT_EQ(pointer_info(allocate(Source::managed, bytes)->data()).device, 0);
  EXPECT_EQ(pointer_info(allocate(Source::pinned, bytes)->data()).device, -1);
}

TEST(PointerInfo, KnowsStreamOrderedMemory) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  void* memory = nullptr;
  ASSERT_CUDA(cudaMallocAsync(&memory, bytes, stream.get()));
  EXPECT_EQ(pointer_info(memory).kind, MemoryKind::device);
  ASSERT_CUDA(cudaFreeAsync(memory, stream.get()));
  stream.wait();
}

TEST(PointerInfo, LeavesNoErrorBehind) {
  TYPEWARP_NEEDS_GPU();
  const int local = 0;
  EXPECT_EQ(pointer_info(&local).kind, MemoryKind::host);
  EXPECT_EQ(pointer_info(nullptr).kind, MemoryKind::host);
  EXPECT_EQ(pointer_info(reinterpret_cast<const void*>(16)).kind, MemoryKind::host);
  EXPECT_CUDA(cudaPeekAtLastError());
}

/// The kind is that of the data, whatever the address that displacements are relative to.
TEST(PointerInfo, LooksAtTheDataOfAbsoluteAddresses) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const auto user = allocate(Source::device, 64);
  const auto packed = allocate(Source::device, 12);
  const auto data = noise(64, 1);
  user->write(data);
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(user->data()));
  const Plan plan = commit(hindexed({1, 2}, {address + 4, address + 40}, Named::int_));
  pack(nullptr, 1, plan, packed->data(), stream.get());
  const Plan relative = commit(hindexed({1, 2}, {4, 40}, Named::int_));
  EXPECT_EQ(contents(*packed, 12), packed_on_host(data.data(), 1, relative));
}

}  // namespace
}  // namespace typewarp::test
