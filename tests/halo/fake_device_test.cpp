// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges of device memory where there is no GPU: what is launched, and what happens where that fails.

#include "halo/bindings.hpp"
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
    fill();
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
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  fill();
  const int before = turns_marked();
  exchange.exchange(field_stream());
  EXPECT_EQ(turns_marked() - before, ranks_ > 1 ? 1 : 0);  // a process alone is its own neighbour
  expect_right();
}

// The same fields stay in the process in another direction, and are packed for that.
TEST_F(HaloFakeDevice, MessagesInPlaceDoNotWaitForPackingInTheSameCall) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::datatype});
  if (exchange.messages_sent() == 0) GTEST_SKIP() << "needs 2 ranks";
  exchange.exchange(field_stream());
  fill();
  const std::uint64_t before = gpu::launches();
  exchange.exchange(field_stream());
  EXPECT_EQ(launches_before_turn(), before);
  expect_right();

  fill();
  const std::uint64_t before_calls = gpu::launches();
  exchange.pack(field_stream());
  exchange.start_exchange(field_stream());
  EXPECT_EQ(launches_before_turn(), before_calls + 1);
  exchange.wait();
  exchange.unpack(field_stream());
  expect_right();

  fill();
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
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .buffers = halo::Buffers::pinned});
  if (exchange.messages_sent() == 0) GTEST_SKIP() << "needs 2 ranks";
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

// What it has enqueued uses its buffers.
TEST_F(HaloFakeDevice, WaitsForWhatItHasEnqueuedWhenItGoes) {
  {
    Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
    exchange.exchange(field_stream());
  }
  EXPECT_EQ(moves_under_way(), 0U);
  expect_right();
}

// A set that is given up takes with it what kernels that were launched for it use.
TEST_F(HaloFakeDevice, WaitsForASetThatItGivesUp) {
  constexpr std::size_t staying = halo::Bindings::most_others;
  std::vector<std::vector<Patch>> others;
  for (std::size_t i = 0; i <= staying; ++i) others.push_back(patches(10 * (i + 1)));
  fill();
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .buffers = halo::Buffers::device});
  exchange.exchange(field_stream());
  const std::size_t under_way = moves_under_way();
  EXPECT_GT(under_way, 0U);
  for (std::size_t i = 0; i < staying; ++i) {
    exchange.bind(addresses(others[i]));
    EXPECT_EQ(moves_under_way(), under_way) << i;
  }
  exchange.bind(addresses(others[staying]));
  EXPECT_EQ(moves_under_way(), 0U);
  expect_right();

  for (std::vector<Patch>* const set : {&others[staying], &patches_}) {
    fill(*set);
    exchange.bind(addresses(*set));
    exchange.exchange(field_stream());
    expect_right(*set);
  }
}

}  // namespace
}  // namespace typewarp::test
