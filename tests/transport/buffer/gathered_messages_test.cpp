// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages into memory of a device that is faked, from each rank to itself: how many launches they take.

#include "support/user_buffer.hpp"
#include "transport/fake_device/fake_device.hpp"
#include "transport/handle/internal.hpp"
#include "transport/protocol_fixture.hpp"

#include <array>
#include <deque>
#include <utility>
#include <vector>

namespace typewarp::test {
namespace {

constexpr std::int64_t direct_bytes = 1000;
constexpr std::int64_t eager_bytes = 400;

/// From memory of the device, or the host's, to the device's.
class Message {
 public:
  Message(std::int64_t bytes, bool from_device, int number) : Message(bytes, from_device, number, number) {}
  Message(std::int64_t bytes, bool from_device, int number, int tag)
      : type_(vector(bytes, 1, 2, Named::byte)),
        plan_(commit(type_)),
        sent_(type_, 1, 2 * static_cast<std::uint64_t>(number)),
        received_(type_, 1, 2 * static_cast<std::uint64_t>(number) + 1),
        expected_(received_),
        on_device_(received_.bytes().data(), received_.bytes().size()),
        tag_(tag) {
    if (from_device) source_.emplace(sent_.bytes().data(), sent_.bytes().size());
    scatter(gathered(sent_, type_, 1), expected_, type_, 1);
  }

  Request receive(int rank, MPI_Comm comm) {
    return irecv(received_.origin(), 1, plan_, rank, tag_, comm, nullptr);
  }
  Request send(int rank, MPI_Comm comm) { return isend(sent_.origin(), 1, plan_, rank, tag_, comm, nullptr); }
  void send_now(int rank, MPI_Comm comm) {
    typewarp::send(sent_.origin(), 1, plan_, rank, tag_, comm, nullptr);
  }
  bool arrived() { return received_.bytes() == expected_.bytes(); }

 private:
  Datatype type_;
  Plan plan_;
  UserBuffer sent_, received_, expected_;
  DeviceMemory on_device_;
  std::optional<DeviceMemory> source_;
  int tag_;
};

class GatheredMessages : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    start(limited_fragments);
  }

  void post(std::size_t count, std::int64_t bytes, bool from_device) {
    for (std::size_t i = 0; i < count; ++i) {
      messages_.emplace_back(bytes, from_device, static_cast<int>(messages_.size()));
      receives_.push_back(messages_.back().receive(rank_, comm_));
    }
  }
  void send(std::size_t i) { sends_.push_back(messages_[i].send(rank_, comm_)); }
  void send_all() {
    for (std::size_t i = 0; i < messages_.size(); ++i) send(i);
  }
  void finish() {
    wait_all(receives_);
    wait_all(sends_);
    for (std::size_t i = 0; i < messages_.size(); ++i) EXPECT_TRUE(messages_[i].arrived()) << i;
  }
  /// Since this was last asked.
  std::uint64_t launches() { return gpu::launches() - std::exchange(seen_, gpu::launches()); }

  /// The progress thread makes rounds at any time.
  void expect_few_launches() { EXPECT_LE(launches(), has_thread_ ? messages_.size() : 2U); }

  const ExportedMemory exported_;
  std::deque<Message> messages_;
  std::vector<Request> receives_, sends_;
  std::uint64_t seen_ = gpu::launches();
};

TEST_F(GatheredMessages, DirectOnesAreReadByFewLaunches) {
  const ShortBatches short_batches(156);
  post(208, direct_bytes, true);
  send_all();
  finish();
  expect_few_launches();
}

TEST_F(GatheredMessages, EagerOnesAreUnpackedByFewLaunches) {
  post(208, eager_bytes, false);
  send_all();
  finish();
  expect_few_launches();
}

TEST_F(GatheredMessages, FewLaunchesAreEnoughWhereEachIsWaitedForByItself) {
  post(208, direct_bytes, true);
  send_all();
  for (Request& receive : receives_) receive.wait();
  finish();
  expect_few_launches();
}

TEST_F(GatheredMessages, OnlyOneDoesNotWait) {
  for (const auto& [bytes, from_device] : {std::pair(direct_bytes, true), std::pair(eager_bytes, false)}) {
    static_cast<void>(launches());  // before a progress thread can have made one
    post(1, bytes, from_device);
    send(messages_.size() - 1);
    while (!receives_.back().test()) ASSERT_EQ(state_->gather.waiting(), 0U);
    EXPECT_EQ(launches(), 1U);
  }
  finish();
}

TEST_F(GatheredMessages, OneAmongOthersWaitsForOneRound) {
  if (has_thread_) GTEST_SKIP() << "needs a session without a progress thread";
  post(2, direct_bytes, true);
  send(0);
  while (state_->gather.waiting() == 0) ASSERT_FALSE(receives_[0].test());
  EXPECT_EQ(launches(), 0U);
  EXPECT_FALSE(receives_[0].test());
  EXPECT_EQ(launches(), 1U);
  receives_[0].wait();
  send(1);
  finish();
}

TEST_F(GatheredMessages, LaunchThatFailsEndsItsMessages) {
  if (has_thread_) GTEST_SKIP() << "needs a session without a progress thread";
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution, DeviceFailure::event}) {
    messages_.clear();
    receives_.clear();
    sends_.clear();
    post(3, direct_bytes, true);
    // The turn of each receive and each send is an event of its own.
    const FailingDevice failing(what, what == DeviceFailure::event ? 4 : 1);
    send_all();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_THROW(receives_[i].wait(), GpuError);
      EXPECT_THROW(sends_[i].wait(), Error);
    }
    EXPECT_TRUE(failing.happened());
    EXPECT_EQ(moves_under_way(), 0U);
  }
  messages_.clear();
  receives_.clear();
  sends_.clear();
  post(3, direct_bytes, true);
  send_all();
  finish();
}

TEST_F(GatheredMessages, WhatCannotJoinEndsItsMessageOnly) {
  post(3, direct_bytes, true);
  const FailingDevice failing(DeviceFailure::preparation, 2);
  send_all();
  int failed = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    try {
      receives_[i].wait();
      sends_[i].wait();
      EXPECT_TRUE(messages_[i].arrived());
    } catch (const GpuError&) {
      ++failed;
      EXPECT_THROW(sends_[i].wait(), Error);
    }
  }
  EXPECT_EQ(failed, 1);
  EXPECT_TRUE(failing.happened());
}

// Of one tag, and announced, eager or from the host in turn.
TEST_F(GatheredMessages, SendsDoNotOvertakeEachOther) {
  constexpr int messages = 60;
  const std::array bytes{eager_bytes, direct_bytes, std::int64_t{8}, std::int64_t{5000}};
  for (int i = 0; i < messages; ++i) {
    const auto index = static_cast<std::size_t>(i);
    messages_.emplace_back(bytes[index % bytes.size()], i % 3 != 0, i, 7);
    receives_.push_back(messages_.back().receive(rank_, comm_));
  }
  for (int i = 0; i < messages; ++i) {
    if (i % 11 == 10) {
      sends_.emplace_back();
      messages_[static_cast<std::size_t>(i)].send_now(rank_, comm_);
    } else {
      send(static_cast<std::size_t>(i));
    }
  }
  finish();
}

}  // namespace
}  // namespace typewarp::test
