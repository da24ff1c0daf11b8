// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What becomes of an exchange, and of the neighbours', where a device fails.

#include "halo/fake_device_fixture.hpp"

#include <functional>
#include <optional>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;

// Neighbours wait for a message of each stage, whatever failed before, and send theirs.
TEST_F(HaloFakeDevice, LeavesNoNeighbourWaitingWhereADeviceFails) {
  TYPEWARP_NEEDS_RANKS(2);
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::event}) {
    for (const Packing packing : {Packing::manual, Packing::datatype}) {
      int has_failed = 1;
      for (int nth = 1; has_failed != 0; nth += 1 + nth / 2) {
        SCOPED_TRACE(testing::Message()
                     << halo::name(packing) << ", failure " << static_cast<int>(what) << " " << nth);
        Exchange exchange(*grid_, fields_, {.packing = packing});
        std::optional<FailingDevice> failing;
        if (rank_ == 0) failing.emplace(what, nth);
        bool has_thrown = false;
        try {
          exchange.exchange(field_stream());
        } catch (const Error&) {
          has_thrown = true;
        }
        const bool nothing_sent = nth == 1 && packing == Packing::manual;
        has_failed = failing && failing->happened() ? 1 : 0;
        EXPECT_TRUE(has_thrown || !(nothing_sent || has_failed != 0));
        MPI_Bcast(&has_failed, 1, MPI_INT, 0, comm_);
      }
    }
  }
}

TEST_F(HaloFakeDevice, EndsWhereALaunchFails) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  fill();
  {
    const FailingDevice failing(DeviceFailure::launch, 1);
    EXPECT_THROW(exchange.pack(field_stream()), GpuError);
    EXPECT_TRUE(failing.happened());
  }
  exchange.exchange(field_stream());
  expect_right();
}

TEST_F(HaloFakeDevice, TuningFailsInAllProcessesWhereALaunchFailsInOne) {
  Exchange exchange(*grid_, fields_);
  {
    std::optional<FailingDevice> failing;
    if (rank_ == 0) failing.emplace(DeviceFailure::launch, 1);
    EXPECT_THROW(exchange.tune(field_stream()), Error);
    EXPECT_TRUE(!failing || failing->happened());
  }
  fill();
  exchange.exchange(field_stream());
  expect_right();
}

// Others may have got its messages or not.
TEST_F(HaloFakeDevice, IsOverForGoodWhenMessagesFail) {
  for (const halo::Buffers buffers : {halo::Buffers::pinned, halo::Buffers::device}) {
    Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .buffers = buffers});
    if (exchange.messages_sent() == 0) GTEST_SKIP() << "needs 2 ranks";
    const FailingDevice failing(DeviceFailure::execution, 1);
    EXPECT_THROW(exchange.exchange(field_stream()), GpuError);
    EXPECT_TRUE(failing.happened());
    for (const auto& call : std::vector<std::function<void()>>{
             [&] { exchange.pack(field_stream()); }, [&] { exchange.start_exchange(field_stream()); },
             [&] { exchange.wait(); }, [&] { static_cast<void>(exchange.ready()); },
             [&] { exchange.unpack(field_stream()); }, [&] { exchange.set_width(1); },
             [&] { exchange.overlap([] {}, field_stream()); },
             [&] { exchange.accumulate(Operation::sum, field_stream()); }}) {
      EXPECT_THROW(call(), Error);
    }
    MPI_Barrier(comm_);
  }
}

TEST_F(HaloFakeDevice, TheFirstAccumulateFailsInAllProcessesWhereOneHasNoMemoryForIt) {
  TYPEWARP_NEEDS_RANKS(2);
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .buffers = halo::Buffers::pinned});
  {
    std::optional<ScarcePinnedMemory> scarce;
    if (rank_ == 0) scarce.emplace(1);
    EXPECT_THROW(exchange.accumulate(Operation::sum, field_stream()), Error);
  }
  EXPECT_NO_THROW(exchange.accumulate(Operation::sum, field_stream()));
}

TEST_F(HaloFakeDevice, OverlapLeavesNothingBesideTheStreamWhenItFails) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .poison = true});
  std::vector<std::byte> other(4096);
  const DeviceMemory device(other.data(), other.size());
  {
    const FailingDevice failing(DeviceFailure::launch, 2);
    bool worked = false;
    EXPECT_THROW(exchange.overlap([&] { worked = true; }, field_stream()), GpuError);
    EXPECT_FALSE(worked);
  }
  EXPECT_EQ(moves_under_way(), 0U);  // the fake device's streams wait at once for those that they follow
}

}  // namespace
}  // namespace typewarp::test
