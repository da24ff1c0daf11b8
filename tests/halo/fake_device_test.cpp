// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges of device memory where there is no GPU: what is launched, and what happens where that fails.

#include "halo/fake_device_fixture.hpp"
#include "halo/tuning.hpp"

#include <array>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;
using halo::ProcessGrid;

TEST_F(HaloFakeDevice, PacksByOneLaunchAndUnpacksByOne) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .buffers = halo::Buffers::pinned});
  for (int i = 0; i < 2; ++i) {
    for (Patch& patch : patches_) patch.fill();
    const std::uint64_t before = gpu::launches();
    exchange.pack(field_stream());
    EXPECT_EQ(gpu::launches() - before, 1U);
    exchange.start_exchange(field_stream());
    exchange.wait();
    EXPECT_EQ(gpu::launches() - before, 1U);
    exchange.unpack(field_stream());
    EXPECT_EQ(gpu::launches() - before, 2U);
    expect_right();
  }
}

TEST_F(HaloFakeDevice, MarksWhatItsStreamHoldsOnceForAllMessages) {
  for (const halo::Messages messages : {halo::Messages::together, halo::Messages::each}) {
    Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .messages = messages});
    exchange.exchange(field_stream());
    for (Patch& patch : patches_) patch.fill();
    const int before = turns_marked();
    exchange.exchange(field_stream());
    EXPECT_EQ(turns_marked() - before, ranks_ > 1 ? 1 : 0);  // a process alone is its own neighbour
    expect_right();
  }
}

// The same fields stay in the process in another direction, and are packed for that.
TEST_F(HaloFakeDevice, MessagesInPlaceDoNotWaitForPackingInTheSameCall) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::datatype});
  if (exchange.messages_sent() == 0) GTEST_SKIP() << "needs messages";
  exchange.exchange(field_stream());
  for (Patch& patch : patches_) patch.fill();
  const std::uint64_t before = gpu::launches();
  exchange.exchange(field_stream());
  EXPECT_EQ(launches_before_turn(), before);
  expect_right();

  for (Patch& patch : patches_) patch.fill();
  const std::uint64_t before_calls = gpu::launches();
  exchange.pack(field_stream());
  exchange.start_exchange(field_stream());
  EXPECT_EQ(launches_before_turn(), before_calls + 1);
  exchange.wait();
  exchange.unpack(field_stream());
  expect_right();

  for (Patch& patch : patches_) patch.fill();
  Exchange poisoning(*grid_, fields_, {.packing = Packing::datatype, .poison = true});
  const std::uint64_t before_poison = gpu::launches();
  poisoning.exchange(field_stream());
  EXPECT_GE(launches_before_turn(), before_poison + 2);
  expect_right();
}

TEST_F(HaloFakeDevice, IsTimedUntilItsStreamIsDone) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  halo::by_clock(*grid_, 0, field_stream())(exchange);
  EXPECT_EQ(moves_under_way(), 0U);
}

TEST_F(HaloFakeDevice, FieldsInPageLockedMemoryFollowTheStream) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    SCOPED_TRACE(halo::name(packing));
    PinnedFields pinned(patches_, fields_);
    Exchange exchange(*grid_, pinned.fields(), {.packing = packing, .messages = halo::Messages::each});
    pinned.fill_late();
    exchange.exchange(field_stream());
    gpu::Event(0, field_stream()).wait();
    pinned.give();
    expect_right();
  }
}

TEST_F(HaloFakeDevice, WhatTheHostMovesIsNoPartOfAGraph) {
  PinnedFields pinned(patches_, fields_);
  std::vector<halo::Field> pageable = fields_;
  std::vector<Bytes> memory;
  for (std::size_t f = 0; f < pageable.size(); ++f) {
    std::byte* const first = memory.emplace_back(patches_[f].initial()).data();
    pageable[f].rebind(first + (static_cast<std::byte*>(fields_[f].data()) - patches_[f].memory()));
  }
  std::vector<halo::Field> mixed = fields_;
  mixed.back() = pageable.back();
  for (const std::vector<halo::Field>& fields : {pinned.fields(), pageable, mixed}) {
    Exchange exchange(*grid_, fields, {.packing = Packing::manual, .buffers = halo::Buffers::device});
    exchange.exchange(field_stream());
    {
      const CapturedStreams captured;
      EXPECT_THROW(exchange.pack(field_stream()), InvalidArgument);
      EXPECT_THROW(exchange.unpack(field_stream()), InvalidArgument);
    }
    EXPECT_THROW(exchange.start_exchange(field_stream()), Error);  // no graph packs
    exchange.exchange(field_stream());
  }
}

TEST_F(HaloFakeDevice, AGraphStandsForTheCallsThatItHolds) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  const FakeGraph unpacking([&] { exchange.unpack(field_stream()); });
  EXPECT_THROW(exchange.start_exchange(field_stream()), Error);  // no graph packs
  for (Patch& patch : patches_) patch.fill();
  exchange.pack(field_stream());
  exchange.start_exchange(field_stream());
  exchange.wait();
  unpacking.replay();
  expect_right();

  const FakeGraph packing([&] { exchange.pack(field_stream()); });
  EXPECT_THROW(exchange.tune(field_stream()), Error);  // it would give up what graphs use
  for (int i = 0; i < 2; ++i) {
    for (Patch& patch : patches_) patch.fill();
    packing.replay();
    exchange.start_exchange(field_stream());
    exchange.wait();
    unpacking.replay();
    expect_right();
  }
}

// It must be unpacked by a call where only packing was captured.
TEST_F(HaloFakeDevice, AGraphThatPacksDoesNotStandForUnpacking) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  const FakeGraph packing([&] { exchange.pack(field_stream()); });
  packing.replay();
  exchange.start_exchange(field_stream());
  exchange.wait();
  EXPECT_THROW(exchange.pack(field_stream()), Error);
  exchange.unpack(field_stream());
  expect_right();
}

// Without a Session too: nothing of it passes through memory of the host.
TEST_F(HaloFakeDevice, WhatStaysInAProcessStaysOnTheDevice) {
  const ProcessGrid alone(MPI_COMM_SELF, {1, 1, 1}, {true, true, true});
  Whole whole{Named::double_, {}, {}};
  for (int d = 0; d < 3; ++d) whole.axes.push_back({{5 + d}, 2, 1, 0, 1, d});
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    Patch patch(alone, whole, 1);
    gpu::Event(0, field_stream()).wait();
    const std::size_t pinned = pinned_buffers();
    Exchange exchange(alone, {patch.field()}, {.packing = packing, .buffers = halo::Buffers::pinned});
    const std::uint64_t launches = gpu::launches();
    exchange.exchange(field_stream());
    EXPECT_EQ(pinned_buffers(), pinned);
    EXPECT_EQ(moves_under_way(), gpu::launches() - launches);  // nothing was waited for
    EXPECT_EQ(patch.difference().value_or("none"), "none");
  }
}

TEST_F(HaloFakeDevice, PollingDoesNotWait) {
  constexpr std::size_t other_work = 1000;
  Exchange exchange(*grid_, fields_,
                    {.packing = Packing::manual,
                     .diagonals = halo::Diagonals::by_dimension,
                     .buffers = halo::Buffers::pinned});
  if (exchange.messages_sent() == 0) GTEST_SKIP() << "needs messages";
  exchange.pack(field_stream());
  exchange.start_exchange(field_stream());
  for (std::size_t i = 0; i < other_work; ++i) enqueue_work([] {}, field_stream());
  for (bool ready = false; !ready;) {
    const std::size_t before = moves_under_way();
    ready = exchange.ready();
    EXPECT_LT(before, moves_under_way() + other_work / 2);
  }
  exchange.unpack(field_stream());
  expect_right();
}

TEST_F(HaloFakeDevice, IsBoundToMemoryOfTheSameKind) {
  Exchange exchange(*grid_, fields_);
  Bytes pageable(patches_[1].initial().size());
  try {
    exchange.bind(std::array{fields_[0].data(), static_cast<void*>(pageable.data()), fields_[2].data()});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), "data[1]");
  }
  exchange.exchange(field_stream());
  expect_right();
}

/// Enqueues a copy of what a patch has, and of what it had before.
void write_late(Patch& patch) {
  enqueue_work([&] { std::ranges::copy(patch.initial(), patch.memory()); }, field_stream());
}
void read_late(Patch& patch, Bytes& result) {
  result.resize(patch.initial().size());
  enqueue_work([&] { std::copy_n(patch.memory(), result.size(), result.begin()); }, field_stream());
}

TEST_F(HaloFakeDevice, FollowsTheStreamAndIsFollowedByIt) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    SCOPED_TRACE(halo::name(packing));
    Exchange exchange(*grid_, fields_, {.packing = packing});
    for (const bool beside : {false, true}) {
      for (Patch& patch : patches_) std::fill_n(patch.memory(), patch.initial().size(), std::byte{0});
      std::vector<Bytes> results(patches_.size());
      // Twice, one behind the other.
      for (int i = 0; i < 2; ++i) {
        for (Patch& patch : patches_) write_late(patch);
        beside ? exchange.overlap([] {}, field_stream()) : exchange.exchange(field_stream());
        for (std::size_t f = 0; f < patches_.size(); ++f) read_late(patches_[f], results[f]);
      }
      expect_right();
      for (std::size_t f = 0; f < patches_.size(); ++f) EXPECT_EQ(results[f], patches_[f].contents());
    }
  }
}

TEST_F(HaloFakeDevice, AccumulationFollowsTheStreamAndIsFollowedByIt) {
  Exchange exchange(*grid_, fields_);
  exchange.accumulate(Operation::min, field_stream());
  std::vector<Bytes> expected;
  for (Patch& patch : patches_) expected.push_back(patch.contents());
  EXPECT_NE(expected[0], patches_[0].initial());

  for (Patch& patch : patches_) std::fill_n(patch.memory(), patch.initial().size(), std::byte{0});
  std::vector<Bytes> results(patches_.size());
  for (Patch& patch : patches_) write_late(patch);
  exchange.accumulate(Operation::min, field_stream());
  for (std::size_t f = 0; f < patches_.size(); ++f) read_late(patches_[f], results[f]);
  gpu::Event(0, field_stream()).wait();
  EXPECT_EQ(results, expected);
}

// What it has enqueued uses its buffers.
TEST_F(HaloFakeDevice, WaitsForWhatItHasEnqueuedWhenItGoes) {
  {
    Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
    exchange.exchange(field_stream());
  }
  EXPECT_EQ(moves_under_way(), 0U);
  expect_right();
}

}  // namespace
}  // namespace typewarp::test
