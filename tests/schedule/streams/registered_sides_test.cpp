// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Moves into memory that the ranks of a device group have registered.

#include "engine/runtime/memory_kinds.hpp"
#include "schedule/streams/device_groups.hpp"
#include "support/expect_invalid.hpp"

#include <algorithm>
#include <vector>

namespace typewarp {
namespace {

using test::DeviceGroups;
using test::GroupCall;
using test::invalid_argument;
using test::MadeGroupCall;
using test::OwnStream;
using Kind = test::GroupCallKind;

TEST_F(DeviceGroups, UseRegisteredMemory) {
  enum class How { by_all, in_another_order, not_that_of_one };
  DeviceGroup made = group();
  const OwnStream stream;
  test::Random random(6), addresses(static_cast<std::uint64_t>(rank_));
  const auto other = test::allocate(test::Source::device, 1 << 24);
  for (const Kind kind :
       {Kind::broadcast, Kind::allgather, Kind::allgatherv, Kind::alltoall, Kind::allreduce}) {
    for (const How how : {How::by_all, How::in_another_order, How::not_that_of_one}) {
      const GroupCall call = GroupCall::many(random, kind, Named::float_, Operation::sum, ranks_);
      MadeGroupCall one(call, rank_, ranks_, addresses.one_in(2) ? 8 : addresses.range(0, 15),
                        /*of_device=*/true);
      const bool is_last = rank_ == ranks_ - 1;
      std::vector<std::byte*> memories = one.memories();
      if (how == How::in_another_order && is_last) std::ranges::reverse(memories);
      if (how == How::not_that_of_one && is_last) memories.back() = other->data();
      for (std::byte* const memory : memories) made.register_memory(memory, one.memory_bytes());
      MPI_Barrier(comm_);
      const bool replaces = call.in_place && (kind == Kind::allreduce || kind == Kind::alltoall);
      const int times = replaces ? 1 : 3;
      for (int i = 0; i < times; ++i) one.start(made, stream.get());
      stream.wait();
      one.expect_result();
      for (std::byte* const memory : memories) made.deregister_memory(memory);
    }
  }
}

TEST_F(DeviceGroups, RegisterNothingIfOneRankIsWrong) {
  DeviceGroup made = group();
  const auto first = test::allocate(test::Source::device, 1024);
  const auto second = test::allocate(test::Source::device, 1024);
  const auto pinned = test::allocate(test::Source::pinned, 1024);
  const auto expect_refused = [&](const char* argument, auto wrong, auto right) {
    if (rank_ == 0) {
      EXPECT_EQ(invalid_argument(wrong), argument);
    } else {
      EXPECT_THROW(right(), Error);
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
  expect_refused("begin", given(first->data(), 512), given(pinned->data(), 512));
  expect_refused("begin", taken(first->data() + 8), taken(first->data()));
  const auto& differs = rank_ == 0 ? first : second;
  if (ranks_ > 1) {
    EXPECT_THROW(made.deregister_memory(differs->data()), Error);
  }
  taken(second->data())();
  taken(first->data())();
}

}  // namespace
}  // namespace typewarp
