// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Moves into memory that the ranks of a device group have registered.

#include "engine/runtime/memory_kinds.hpp"
#include "schedule/streams/device_groups.hpp"
#include "schedule/streams/registered_buffers.hpp"
#include "support/expect_invalid.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace typewarp {
namespace {

using test::DeviceGroups;
using test::GroupCall;
using test::invalid_argument;
using test::MadeGroupCall;
using test::OwnStream;
using Kind = test::GroupCallKind;

/// How ranks register the memory of a call; the last rank does it otherwise.
enum class How : std::uint8_t { alike, in_another_order, not_its_buffer, at_odd_addresses };

struct RegisteredCall {
  Kind kind;
  How how;
  bool in_place;
  std::int64_t count;  ///< where it is odd, shares begin where no pack does

  friend std::ostream& operator<<(std::ostream& out, const RegisteredCall& call) {
    return out << "kind " << static_cast<int>(call.kind) << ", how " << static_cast<int>(call.how)
               << (call.in_place ? ", in place" : "") << ", " << call.count;
  }
};

constexpr std::int64_t even_count = 450'016, odd_count = 450'001;

std::vector<RegisteredCall> registered_calls() {
  std::vector<RegisteredCall> calls;
  for (const Kind kind : {Kind::broadcast, Kind::allgather, Kind::allgatherv, Kind::alltoall}) {
    for (const bool in_place : {false, true}) calls.push_back({kind, How::alike, in_place, even_count});
    for (const How how : {How::in_another_order, How::not_its_buffer, How::at_odd_addresses})
      calls.push_back({kind, how, false, even_count});
    calls.push_back({kind, How::alike, false, odd_count});
  }
  calls.push_back({Kind::allreduce, How::alike, false, even_count});
  return calls;
}

class RegisteredCalls : public DeviceGroups, public testing::WithParamInterface<RegisteredCall> {};

TEST_P(RegisteredCalls, AreRightInEachReplay) {
  const auto [kind, how, in_place, count] = GetParam();
  const bool is_last = rank_ == ranks_ - 1;
  DeviceGroup made = group();
  const OwnStream stream;
  test::Random random(6);
  GroupCall call = GroupCall::many(random, kind, Named::float_, Operation::sum, ranks_, count);
  if (kind == Kind::broadcast || kind == Kind::allgatherv) {  // the last pack is not whole
    ++call.counts.back();
    ++call.count;
  }
  call.in_place = in_place;
  const std::int64_t aligned = 8 + 16 * std::int64_t{rank_};  // behind the guard
  const bool is_odd = how == How::at_odd_addresses && is_last;
  MadeGroupCall one(call, rank_, ranks_, is_odd ? 3 : aligned, /*of_device=*/true);
  const auto other = test::allocate(test::Source::device, one.memory_bytes());
  std::vector<std::byte*> memories = one.memories();
  if (how == How::in_another_order && is_last) std::ranges::reverse(memories);
  if (how == How::not_its_buffer && is_last) memories.back() = other->data();
  for (std::byte* const memory : memories) made.register_memory(memory, one.memory_bytes());
  const int replays = kind == Kind::alltoall && in_place ? 1 : 3;  // it replaces what it reads
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  one.start(made, stream.get());
  ASSERT_CUDA(cudaStreamEndCapture(stream.get(), &graph));
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  MPI_Barrier(comm_);
  for (int replay = 0; replay < replays; ++replay) ASSERT_CUDA(cudaGraphLaunch(executable, stream.get()));
  stream.wait();
  one.expect_result();
  EXPECT_CUDA(cudaGraphExecDestroy(executable));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  for (std::byte* const memory : memories) made.deregister_memory(memory);
}
INSTANTIATE_TEST_SUITE_P(All, RegisteredCalls, testing::ValuesIn(registered_calls()));

TEST_F(DeviceGroups, TellWhereRegisteredBytesAre) {
  constexpr std::int64_t bytes = 1024, place = 8;
  const std::unique_ptr<exchange::ExchangeGroup> ranks = test::ranks_of(comm_).group();
  const auto memory = test::allocate(test::Source::device, bytes);
  std::byte* const begin = memory->data();
  exchange::RegisteredBuffers registered;
  const auto told = [&](const std::byte* address, std::int64_t length) {
    gpu::NumbersOfRanks numbers{};
    registered.tell(numbers, address, length);
    return numbers;
  };
  EXPECT_EQ(told(begin, bytes).mapping, gpu::NumbersOfRanks::Mapping::none);
  ASSERT_EQ(registered.add(*ranks, rank_, begin, bytes), "");
  const auto within = told(begin + place, bytes - place);
  EXPECT_EQ(within.mapping, gpu::NumbersOfRanks::Mapping::told);
  EXPECT_EQ(within.buffers[rank_], begin + place);
  EXPECT_EQ(std::ranges::count(within.buffers, nullptr), gpu::NumbersOfRanks::most_ranks - ranks_);
  for (const auto& outside : {told(begin + place, bytes), told(begin - 1, 1), told(nullptr, bytes)}) {
    EXPECT_EQ(outside.mapping, gpu::NumbersOfRanks::Mapping::told);
    EXPECT_EQ(std::ranges::count(outside.buffers, nullptr), gpu::NumbersOfRanks::most_ranks);
  }
  MPI_Barrier(comm_);
}

TEST_F(DeviceGroups, RegisterNothingIfOneRankIsWrong) {
  DeviceGroup made = group();
  const auto first = test::allocate(test::Source::device, 1024);
  const auto second = test::allocate(test::Source::device, 1024);
  const auto third = test::allocate(test::Source::device, 1024);
  const auto pinned = test::allocate(test::Source::pinned, 1024);
  const auto expect_refused = [&](const char* argument, auto wrong, auto right) {
    if (rank_ == 0) {
      EXPECT_EQ(invalid_argument(wrong), argument);
      return;
    }
    try {
      right();
      ADD_FAILURE() << argument << ": was taken";
    } catch (const InvalidArgument& error) {
      ADD_FAILURE() << error.what();
    } catch (const Error&) {  // of rank 0
    }
  };
  const auto given = [&](std::byte* begin, std::int64_t bytes) {
    return [&made, begin, bytes] { made.register_memory(begin, bytes); };
  };
  const auto taken = [&](std::byte* begin) { return [&made, begin] { made.deregister_memory(begin); }; };
  expect_refused("begin", given(nullptr, 1024), given(first->data(), 1024));
  expect_refused("bytes", given(first->data(), 0), given(first->data(), 1024));
  expect_refused("begin", given(first->data(), 1 << 30), given(first->data(), 1024));
  expect_refused("begin", given(pinned->data(), 1024), given(first->data(), 1024));
  given(first->data(), 1024)();
  given(second->data(), 1024)();
  expect_refused("begin", given(first->data(), 512), given(third->data(), 512));
  expect_refused("begin", taken(first->data() + 8), taken(first->data()));
  if (ranks_ > 1) {
    EXPECT_EQ(invalid_argument(given(third->data(), rank_ == 0 ? 512 : 1024)), "bytes");
    const auto& differs = rank_ == 0 ? first : second;
    EXPECT_THROW(made.deregister_memory(differs->data()), Error);
  }
  taken(second->data())();
  taken(first->data())();
}

TEST_F(DeviceGroups, EndAtTheTimeLimitWithRegisteredMemory) {
  TYPEWARP_NEEDS_RANKS(2);
  constexpr std::int64_t bytes = 4 << 20;
  const OwnStream stream;
  const auto in = test::allocate(test::Source::device, bytes);
  const auto out = test::allocate(test::Source::device, ranks_ * bytes);
  std::optional<DeviceGroup> made = group(std::chrono::milliseconds(500));
  made->register_memory(out->data(), ranks_ * bytes);
  MPI_Barrier(comm_);
  if (rank_ == 0) {
    made->allgather(in->data(), out->data(), bytes, stream.get());
    stream.wait();  // ends
    EXPECT_THROW(made->wait(), TimeLimitExceeded);
  }
  made.reset();
  ASSERT_CUDA(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace typewarp
