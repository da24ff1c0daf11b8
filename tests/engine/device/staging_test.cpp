// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/dispatch.hpp"

#include "engine/calls.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <typewarp/error.hpp>

#include <thread>

/// Device and pageable memory: through pinned chunks, complete on return. No test here waits for a stream.
namespace typewarp::test {
namespace {

constexpr std::int64_t several_chunks = (std::int64_t{11} << 20) + 40;

struct Case {
  Datatype type;
  ByteRange range;
};

std::vector<Case> cases() {
  const Datatype column = vector(several_chunks / 8, 1, 2, Named::double_);
  const Datatype flat = contiguous(several_chunks, Named::byte);
  const Datatype irregular = contiguous(several_chunks / 24, indexed({1, 2}, {0, 2}, Named::double_));
  return {{column, {0, several_chunks}},
          {column, {3, several_chunks - 5}},
          {flat, {0, several_chunks}},
          {flat, {4194303, 8388609}},
          {irregular, {1, several_chunks / 24 * 24}},
          {column, {8388607, 8388608}}};
}

TEST(Staging, PacksToPageableMemory) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const auto& [type, range] : cases()) {
    const Plan plan = commit(type);
    const auto data = noise(plan.extent(), 1);
    const auto user = allocate(Source::device, plan.extent());
    user->write(data);
    std::vector<std::byte> packed(static_cast<std::size_t>(range.end - range.begin));
    pack(user->data(), 1, plan, packed.data(), range, stream.get());
    auto expected = packed_on_host(data.data(), 1, plan);
    expected = {expected.begin() + range.begin, expected.begin() + range.end};
    EXPECT_TRUE(packed == expected) << plan.layout().to_string() << " from " << range.begin;
  }
}

TEST(Staging, UnpacksFromPageableMemory) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const auto& [type, range] : cases()) {
    const Plan plan = commit(type);
    const auto before = noise(plan.extent(), 2);
    const auto packed = noise(range.end - range.begin, 3);
    const auto user = allocate(Source::device, plan.extent());
    user->write(before);
    unpack(packed.data(), user->data(), 1, plan, range, stream.get());
    auto expected = before;
    unpack(packed.data(), expected.data(), 1, plan, range, nullptr);
    EXPECT_TRUE(contents(*user, plan.extent()) == expected) << plan.layout().to_string();
  }
}

TEST(Staging, FollowsWhatTheStreamHolds) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Plan plan = commit(vector(100, 1, 2, Named::int_));
  const auto data = noise(plan.extent(), 4);
  const auto pinned = allocate(Source::pinned, plan.extent());
  const auto user = allocate(Source::device, plan.extent());
  pinned->write(data);
  Gate gate(stream.get());
  ASSERT_CUDA(cudaMemcpyAsync(user->data(), pinned->data(), data.size(), cudaMemcpyDefault, stream.get()));
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    gate.open();
  });
  std::vector<std::byte> packed(static_cast<std::size_t>(plan.size()));
  pack(user->data(), 1, plan, packed.data(), stream.get());
  EXPECT_EQ(packed, packed_on_host(data.data(), 1, plan));
  opener.join();
}

/// The call would have to wait for work that a capture only notes.
TEST(Staging, RefusesACapturedStreamAndLeavesTheCaptureValid) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const Plan plan = commit(vector(100, 1, 2, Named::int_));
  const auto user = allocate(Source::device, plan.extent());
  std::vector<std::byte> packed(static_cast<std::size_t>(plan.size()));
  cudaGraph_t graph = nullptr;
  EXPECT_FALSE(gpu::capturing(stream.get()));
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  EXPECT_TRUE(gpu::capturing(stream.get()));
  const auto message = message_of([&] { pack(user->data(), 1, plan, packed.data(), stream.get()); });
  EXPECT_TRUE(message.starts_with("typewarp::pack: stream = ")) << message;
  EXPECT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

/// As between two devices that cannot reach each other: each side has a mover and a stream of its own.
TEST(Staging, JoinsTwoDevices) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream filling;
  const OwnStream draining;
  const Plan from = commit(vector(several_chunks / 8, 1, 2, Named::double_));
  const Plan to = commit(vector(several_chunks / 8, 1, 3, Named::double_));
  const auto data = noise(from.extent(), 5);
  const auto source = allocate(Source::device, from.extent());
  const auto destination = allocate(Source::device, to.extent());
  source->write(data);
  engine::move_staged({{&to, 1, destination->data()}, {{0, draining.get()}}},
                      {{&from, 1, source->data()}, {{0, filling.get()}}}, {0, from.size()});
  const auto result = contents(*destination, to.extent());
  EXPECT_TRUE(packed_on_host(result.data(), 1, to) == packed_on_host(data.data(), 1, from));
}

}  // namespace
}  // namespace typewarp::test
