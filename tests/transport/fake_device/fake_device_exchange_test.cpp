// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges among all ranks, with a device that is faked and can be made to fail.

#include "engine/device/gpu.hpp"
#include "support/user_buffer.hpp"
#include "transport/fake_device/fake_device.hpp"
#include "transport/protocol_fixture.hpp"

#include <typewarp/collective.hpp>

#include <chrono>
#include <list>
#include <optional>
#include <vector>

namespace typewarp::test {
namespace {

const Datatype column = vector(400, 1, 2, Named::byte);  // short enough to go as it is

class FakeDeviceExchange : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    start(limited_fragments);
    for (int rank = 0; rank < ranks_; ++rank) {
      for (std::list<UserBuffer>* side : {&sent_, &received_}) {
        UserBuffer& buffer = side->emplace_back(column, 1, seed(rank_, rank));
        memories_.emplace_back(buffer.bytes().data(), buffer.bytes().size());
      }
      sends_.push_back({sent_.back().origin(), 1, plan_});
      receives_.push_back({received_.back().origin(), 1, plan_});
    }
  }
  static std::uint64_t seed(int from, int to) { return static_cast<std::uint64_t>(10 * from + to + 1); }

  void expect_arrived() {
    int rank = 0;
    for (UserBuffer& buffer : received_) {
      UserBuffer theirs(column, 1, seed(rank++, rank_));
      EXPECT_EQ(gathered(buffer, column, 1), gathered(theirs, column, 1));
    }
  }

  const Plan plan_ = commit(column);
  std::list<UserBuffer> sent_, received_;
  std::list<DeviceMemory> memories_;
  std::vector<SendPart> sends_;
  std::vector<RecvPart> receives_;
};

TEST_F(FakeDeviceExchange, TellsWhenItIsOverThatSomeOfItCouldNotStart) {
  alltoallw(sends_, receives_, comm_, nullptr);
  expect_arrived();
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution}) {
    {
      const FailingDevice failing(what, 1);
      Request exchange = ialltoallw(sends_, receives_, comm_, nullptr);
      EXPECT_TRUE(failing.happened());
      EXPECT_THROW(exchange.wait(), GpuError);
    }
    expect_nothing_is_held();
    EXPECT_EQ(moves_under_way(), 0U);
    MPI_Barrier(comm_);
    alltoallw(sends_, receives_, comm_, nullptr);
    expect_arrived();
  }
}

// Those that fail to send and those that do not are both fit for the next exchange.
TEST_F(FakeDeviceExchange, TellsTheReceiversOfWhatCouldNotStart) {
  alltoallw(sends_, receives_, comm_, nullptr);
  MPI_Barrier(comm_);
  {
    std::optional<FailingDevice> failing;
    if (rank_ == 0) failing.emplace(DeviceFailure::launch, 1);
    Request exchange = ialltoallw(sends_, receives_, comm_, nullptr);
    EXPECT_THROW(exchange.wait(), Error);
  }
  expect_nothing_is_held();
  for (int time = 0; time < 2; ++time) {
    alltoallw(sends_, receives_, comm_, nullptr);
    expect_arrived();
  }
}

TEST_F(FakeDeviceExchange, TellsTheOthersWhereWhatTheStreamHoldsCannotBeMarked) {
  alltoallw(sends_, receives_, comm_, nullptr);
  MPI_Barrier(comm_);
  {
    const FailingDevice failing(DeviceFailure::event, 1);
    EXPECT_THROW(alltoallw(sends_, receives_, comm_, nullptr), GpuError);
    EXPECT_TRUE(failing.happened());
  }
  expect_nothing_is_held();
  alltoallw(sends_, receives_, comm_, nullptr);
  expect_arrived();
}

TEST_F(FakeDeviceExchange, MarksWhatTheStreamHoldsOnceForAllItsMessages) {
  alltoallw(sends_, receives_, comm_, nullptr);  // the first one may wait for its channel
  const int before = turns_marked();
  alltoallw(sends_, receives_, comm_, nullptr);
  EXPECT_EQ(turns_marked() - before, 1);
  expect_arrived();
}

TEST_F(FakeDeviceExchange, PacksPersistentMessagesThatStartTogetherByOneLaunch) {
  std::vector<Request> requests;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    requests.push_back(recv_init(receives_[place].buffer, 1, plan_, rank, 0, comm_, nullptr));
    requests.push_back(send_init(sends_[place].buffer, 1, plan_, rank, 0, comm_, nullptr));
  }
  const int turns = turns_marked();
  const std::uint64_t launches = gpu::launches();
  start_all(requests);
  EXPECT_EQ(turns_marked() - turns, 1);
  if (!has_thread_) {  // which may unpack meanwhile
    EXPECT_EQ(gpu::launches() - launches, 1U);
  }
  wait_all(requests);
  expect_arrived();
}

}  // namespace
}  // namespace typewarp::test
