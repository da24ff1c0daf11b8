// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/memory_kinds.hpp"

namespace typewarp::test {
namespace {

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
