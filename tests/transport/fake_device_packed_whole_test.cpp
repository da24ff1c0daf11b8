// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages that lie in several allocations of a device that is faked, from each rank to itself: how they are
// packed for their receiver, when, and what becomes of them where that fails.

#include "transport/fake_device.hpp"
#include "transport/mpi_calls.hpp"
#include "transport/outcome.hpp"
#include "transport/protocol_fixture.hpp"
#include "transport/waiting.hpp"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace typewarp::test {
namespace {

using transport::Waiting;

constexpr std::size_t blocks = 500;  // of each part
const Datatype part = vector(blocks, 1, 2, Named::byte);

/// Memory of the device, alone in its allocation.
class Allocation {
 public:
  explicit Allocation(std::size_t bytes) : data_(bytes), on_device_(data_.data(), bytes) {}
  std::vector<std::byte>& data() { return data_; }

 private:
  std::vector<std::byte> data_;
  DeviceMemory on_device_;
};

/// Of two allocations, into one.
class Message {
 public:
  explicit Message(int number) : tag_(number) {
    for (Allocation& one : parts_) {
      for (std::byte& value : one.data()) value = static_cast<std::byte>(++number * 7);
      for (std::size_t i = 0; i < blocks; ++i) expected_.push_back(one.data()[2 * i]);
    }
    const std::int64_t distance = reinterpret_cast<std::intptr_t>(parts_[1].data().data()) -
                                  reinterpret_cast<std::intptr_t>(parts_[0].data().data());
    plan_ = commit(structure({1, 1}, {0, distance}, {part, part}));
  }

  Request receive(int rank, MPI_Comm comm) {
    return irecv(received_.data().data(), 2 * blocks, commit(Named::byte), rank, tag_, comm, nullptr);
  }
  Request send(int rank, MPI_Comm comm) {
    return isend(parts_[0].data().data(), 1, plan_, rank, tag_, comm, nullptr);
  }
  bool arrived() { return received_.data() == expected_; }

 private:
  std::array<Allocation, 2> parts_{Allocation(2 * blocks), Allocation(2 * blocks)};
  Allocation received_{2 * blocks};
  std::vector<std::byte> expected_;
  Plan plan_ = commit(part);
  int tag_;
};

/// Gives a stream of the device so much to do that it is not done with that for a while.
void keep_busy(Stream stream) {
  static std::byte from{}, to{};  // for longer than a test: what is enqueued may run behind it
  const cuda::Side source{nullptr, 1, &from};
  const cuda::Side target{nullptr, 1, &to};
  for (int i = 0; i < 100; ++i) cuda::copy(target, source, {0, 1}, {0, stream});
}

class FakeDevicePackedWhole : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    TransportOptions options = small_pieces;
    options.time_limit = std::chrono::seconds(20);
    start(options);
  }
  void TearDown() override {
    while (core_->progress.active() != 0) core_->progress.advance_some();
    EXPECT_EQ(moves_under_way(), 0U);
    ProtocolTest::TearDown();
  }

  void exchange() {
    Message message(1);
    Request receive = message.receive(rank_, comm_);
    Request sending = message.send(rank_, comm_);
    receive.wait();
    sending.wait();
    EXPECT_TRUE(message.arrived());
  }
  void expect_rooms(std::size_t count) {
    if (!has_thread_) {
      EXPECT_EQ(core_->shared_taken(), count);
    }
  }

  const ExportedMemory exported_;
};

TEST_F(FakeDevicePackedWhole, ManyArePackedByOneLaunchAndReadByAnother) {
  constexpr int count = 20;
  std::deque<Message> messages;
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) requests.push_back(messages.emplace_back(i).receive(rank_, comm_));
  const std::uint64_t before = cuda::launches();
  for (Message& message : messages) requests.push_back(message.send(rank_, comm_));
  expect_rooms(count);
  wait_all(requests);
  for (Message& message : messages) EXPECT_TRUE(message.arrived());
  EXPECT_LE(cuda::launches() - before, has_thread_ ? 2U * count : 2U);
}

TEST_F(FakeDevicePackedWhole, WaitForTheirTurn) {
  if (has_thread_) GTEST_SKIP() << "which goes on with the stream, too";
  Message message(1);
  keep_busy(nullptr);
  Request sending = message.send(rank_, comm_);
  Request receive = message.receive(rank_, comm_);
  const std::uint64_t before = cuda::launches();
  for (int i = 0; i < 10; ++i) ASSERT_FALSE(receive.ready());
  EXPECT_EQ(cuda::launches(), before);
  receive.wait();
  sending.wait();
  EXPECT_TRUE(message.arrived());
}

TEST_F(FakeDevicePackedWhole, ThatFailEndBothEnds) {
  if (has_thread_) GTEST_SKIP() << "which may ask for an event before the packing does";
  using enum DeviceFailure;
  for (const DeviceFailure what : {preparation, launch, execution, event}) {
    Message message(1);
    Request receive = message.receive(rank_, comm_);
    const FailingDevice failing(what, what == event ? 2 : 1);  // the first is of the turn
    Request sending = message.send(rank_, comm_);
    EXPECT_EQ(outcome([&] { receive.wait(); }), Outcome::peer_failed);
    EXPECT_EQ(outcome([&] { sending.wait(); }), Outcome::cuda_error);
    EXPECT_TRUE(failing.happened());
    exchange();
  }
}

TEST_F(FakeDevicePackedWhole, KeepTheirRoomWhereTheSenderGivesUpUntilNothingWritesThere) {
  if (has_thread_) GTEST_SKIP() << "which may be done before the sender gives up";
  Message message(1);
  keep_busy(cuda::private_stream(0, cuda::Lane::packing));
  Request sending = message.send(rank_, comm_);
  while (core_->gather.waiting() != 0) core_->progress.advance_some();
  ASSERT_NE(moves_under_way(), 0U);
  Waiting::give_up(sending);
  Request receive = message.receive(rank_, comm_);
  EXPECT_EQ(outcome([&] { receive.wait(); }), Outcome::peer_failed);
  expect_rooms(1);
  EXPECT_THROW(Waiting::finish(sending), TimeLimitExceeded);
  while (core_->shared_taken() != 0) core_->progress.advance_some();
  EXPECT_EQ(moves_under_way(), 0U);
}

TEST_F(FakeDevicePackedWhole, AreNotPackedAnyMoreOnceTheSenderHasGivenUp) {
  if (has_thread_) GTEST_SKIP() << "which may launch it before the sender gives up";
  auto message = std::make_unique<Message>(1);
  Request sending = message->send(rank_, comm_);
  ASSERT_EQ(core_->gather.waiting(), 1U);
  const std::uint64_t before = cuda::launches();
  Waiting::give_up(sending);
  EXPECT_THROW(Waiting::finish(sending), TimeLimitExceeded);
  message.reset();
  for (int i = 0; i < 20; ++i) core_->progress.advance_some();
  EXPECT_EQ(core_->gather.waiting(), 0U);
  EXPECT_EQ(cuda::launches(), before);
  Message other(1);
  Request receive = other.receive(rank_, comm_);
  EXPECT_EQ(outcome([&] { receive.wait(); }), Outcome::peer_failed);
}

TEST_F(FakeDevicePackedWhole, AreNotPackedWhereTheirAnnouncementThrows) {
  Message message(1);
  const std::uint64_t before = cuda::launches();
  {
    const FailingMpi descriptor(Posting::send, 1);
    EXPECT_THROW(message.send(rank_, comm_), MpiError);
    EXPECT_TRUE(descriptor.happened());
  }
  EXPECT_EQ(cuda::launches(), before);
  expect_nothing_is_held();
  exchange();
}

// Its sender packs it piece by piece instead.
TEST_F(FakeDevicePackedWhole, AreOfNoUseToAReceiverOnTheHost) {
  std::vector<std::byte> received(2 * blocks);
  Message message(1);
  Request sending = message.send(rank_, comm_);
  recv(received.data(), 2 * blocks, commit(Named::byte), rank_, 1, comm_, nullptr);
  sending.wait();
  Request again = message.send(rank_, comm_);
  Request receive = message.receive(rank_, comm_);
  receive.wait();
  again.wait();
  EXPECT_TRUE(message.arrived());
  EXPECT_EQ(received[0], std::byte{14});
}

}  // namespace
}  // namespace typewarp::test
