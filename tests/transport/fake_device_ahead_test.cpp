// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// First pieces that a device packs before their receiver has answered, where it is late, or fails. Each rank
// sends to itself, but on a device of its own.

#include "support/user_buffer.hpp"
#include "transport/fake_device.hpp"
#include "transport/mpi_calls.hpp"
#include "transport/outcome.hpp"
#include "transport/protocol_fixture.hpp"
#include "transport/waiting.hpp"

#include <chrono>
#include <limits>
#include <optional>
#include <vector>

namespace typewarp::test {
namespace {

using transport::Waiting;

constexpr int tag = 4;
constexpr std::int64_t bytes = 5000;
constexpr std::int64_t piece_bytes = 1024;
constexpr int pieces = 5;
const Datatype column = vector(bytes / 4, 1, 2, Named::int_);

/// Gives a stream of the device so much to do that it is not done with that for a while.
class Busy {
 public:
  static constexpr std::uint64_t moves = 100;

  explicit Busy(Stream stream) {
    static std::byte from{}, to{};  // for longer than a test: what is enqueued may run behind it
    const cuda::Side source{nullptr, 1, &from};
    const cuda::Side target{nullptr, 1, &to};
    for (std::uint64_t i = 0; i < moves; ++i) cuda::copy(target, source, {0, 1}, {0, stream});
  }
};

class FakeDeviceAhead : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    TransportOptions options = small_pieces;
    options.time_limit = std::chrono::seconds(20);
    start(options);
    core_->policy.pieces_from = 1;
    core_->policy.piece_cost = 0;
    core_->policy.pieces_rate = std::numeric_limits<double>::infinity();
    core_->policy.piece_bytes = piece_bytes;
    core_->policy.pool_bytes = 8 * piece_bytes;
  }

  void TearDown() override {
    while (core_->progress.active() != 0) core_->progress.advance_some();
    EXPECT_EQ(taken(), 0U);
    EXPECT_EQ(moves_under_way(), 0U);
    ProtocolTest::TearDown();
  }

  std::size_t taken() {
    const transport::Side side({"test", "buffer", "count"}, sent_.origin(), 1, commit(column), comm_, false,
                               nullptr);
    return core_->shared_chunks(side)->chunks.taken();
  }
  /// A progress thread may have gone on meanwhile.
  void expect_taken(std::size_t count) {
    if (!has_thread_) {
      EXPECT_EQ(taken(), count);
    }
  }
  Request start_send() { return isend(sent_.origin(), 1, commit(column), rank_, tag, comm_, nullptr); }
  Request start_receive(UserBuffer& into, const Datatype& type) {
    return irecv(into.origin(), 1, commit(type), rank_, tag, comm_, nullptr);
  }
  void expect_arrived(UserBuffer& received) {
    EXPECT_EQ(gathered(received, column, 1), gathered(sent_, column, 1));
  }
  void exchange() {
    Request sending = start_send();
    Request receive = start_receive(on_device_, column);
    receive.wait();
    sending.wait();
    expect_arrived(on_device_);
  }

  const ExportedMemory exported_;
  std::optional<SeparateDevices> separate_{std::in_place};
  UserBuffer sent_{column, 1, 1};
  UserBuffer on_device_{column, 1, 2};
  UserBuffer on_host_{column, 1, 2};
  const DeviceMemory source_{sent_.bytes().data(), sent_.bytes().size()};
  const DeviceMemory target_{on_device_.bytes().data(), on_device_.bytes().size()};
};

TEST_F(FakeDeviceAhead, IsLaunchedInTheCall) {
  const std::uint64_t before = cuda::launches();
  Request sending = start_send();
  expect_taken(1);
  EXPECT_EQ(cuda::launches() - before, 1U);
  Request receive = start_receive(on_device_, column);
  receive.wait();
  sending.wait();
  EXPECT_EQ(cuda::launches() - before, 2U * pieces);  // so none was packed twice
  expect_arrived(on_device_);
}

TEST_F(FakeDeviceAhead, IsGuessedByTheLastAnswer) {
  separate_.reset();
  exchange();
  separate_.emplace();
  for (const std::size_t guessed : {0U, 1U}) {
    Request sending = start_send();
    expect_taken(guessed);
    Request receive = start_receive(on_device_, column);
    receive.wait();
    sending.wait();
    expect_arrived(on_device_);
  }
}

TEST_F(FakeDeviceAhead, WaitsForItsTurn) {
  const Busy busy(nullptr);
  Request sending = start_send();
  expect_taken(0);
  Request receive = start_receive(on_device_, column);
  receive.wait();
  sending.wait();
  expect_arrived(on_device_);
}

// Behind others that have not been given to the MPI yet.
TEST_F(FakeDeviceAhead, IsPackedWhenItsMessageLeavesTheLine) {
  const Plan few = commit(vector(100, 1, 2, Named::int_));
  std::vector<UserBuffer> received(3, on_host_);
  std::vector<Request> requests;
  for (int i = 0; i < 3; ++i) {
    requests.push_back(isend(sent_.origin(), 1, few, rank_, tag + 1 + i, comm_, nullptr));
  }
  requests.push_back(start_send());
  expect_taken(0);
  while (taken() == 0) progress();
  for (int i = 0; i < 3; ++i) {
    UserBuffer& into = received[static_cast<std::size_t>(i)];
    requests.push_back(irecv(into.origin(), 1, few, rank_, tag + 1 + i, comm_, nullptr));
  }
  requests.push_back(start_receive(on_device_, column));
  wait_all(requests);
  expect_arrived(on_device_);
}

// The message is over only when nothing is left that packs it.
TEST_F(FakeDeviceAhead, OfNoUseEndsBeforeTheMessage) {
  const Datatype shorter = vector(1000, 1, 2, Named::byte);
  UserBuffer received(shorter, 1, 2);
  const Busy busy(cuda::private_stream(0, cuda::Lane::packing));
  Request receive = start_receive(received, shorter);
  Request sending = start_send();
  EXPECT_THROW(receive.wait(), MpiError);
  while (!sending.ready()) continue;
  EXPECT_EQ(moves_under_way(), 0U);
  sending.wait();
  EXPECT_EQ(taken(), 0U);
}

TEST_F(FakeDeviceAhead, IsOfNoUseToAReceiverOnTheHost) {
  Request sending = start_send();
  Request receive = start_receive(on_host_, column);
  receive.wait();
  sending.wait();
  expect_arrived(on_host_);
  EXPECT_EQ(taken(), 0U);
}

TEST_F(FakeDeviceAhead, KeepsItsChunkWhereItsSenderGivesUpUntilNothingWritesThere) {
  const Busy busy(cuda::private_stream(0, cuda::Lane::packing));
  Request sending = start_send();
  Waiting::give_up(sending);
  expect_taken(1);
  Request receive = start_receive(on_device_, column);
  EXPECT_THROW(receive.wait(), Error);
  EXPECT_THROW(Waiting::finish(sending), TimeLimitExceeded);
}

// When the call throws, the memory is its caller's again and the chunk another message's.
TEST_F(FakeDeviceAhead, IsOverWhereItsAnnouncementThrows) {
  const std::uint64_t before = cuda::launches();
  const Busy busy(cuda::private_stream(0, cuda::Lane::packing));
  {
    const FailingMpi descriptor(Posting::send, 1);
    EXPECT_THROW(start_send(), MpiError);
    EXPECT_TRUE(descriptor.happened());
  }
  EXPECT_EQ(moves_under_way(), 0U);
  EXPECT_EQ(cuda::launches() - before, Busy::moves + 1U);
  expect_nothing_is_held();
  exchange();
}

// There the message has a request, which tells of it when nothing is packed any more.
TEST_F(FakeDeviceAhead, IsOverBeforeARequestWhoseAnnouncementFailed) {
  if (has_thread_) GTEST_SKIP() << "needs that nobody else posts";
  const Plan few = commit(vector(100, 1, 2, Named::int_));
  std::vector<Request> shorter;
  for (int i = 0; i < 2; ++i) {
    shorter.push_back(isend(sent_.origin(), 1, few, rank_, tag + 1 + i, comm_, nullptr));
  }
  Request sending = start_send();
  expect_taken(0);
  {
    const FailingMpi descriptor(Posting::send, 2);  // the first is of the message before it in the line
    while (!descriptor.happened()) core_->progress.advance_some();
  }
  EXPECT_EQ(taken(), 1U);
  const Busy busy(cuda::private_stream(0, cuda::Lane::packing));
  EXPECT_THROW(sending.wait(), MpiError);
  EXPECT_EQ(taken(), 0U);
  for (int i = 0; i < 2; ++i) recv(on_host_.origin(), 1, few, rank_, tag + 1 + i, comm_, nullptr);
  wait_all(shorter);
  exchange();
}

TEST_F(FakeDeviceAhead, ThatFailsEndsBothEnds) {
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution, DeviceFailure::event}) {
    const FailingDevice failing(what, what == DeviceFailure::event ? 2 : 1);  // the first is of the turn
    Request sending = start_send();
    EXPECT_TRUE(failing.happened());
    Request receive = start_receive(on_device_, column);
    EXPECT_EQ(outcome([&] { receive.wait(); }), Outcome::peer_failed);
    EXPECT_EQ(outcome([&] { sending.wait(); }), Outcome::cuda_error);
    exchange();
  }
}

TEST_F(FakeDeviceAhead, ThatFailsIsNoMatterWhereItIsOfNoUse) {
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution, DeviceFailure::event}) {
    const FailingDevice failing(what, what == DeviceFailure::event ? 2 : 1);
    Request sending = start_send();
    EXPECT_TRUE(failing.happened());
    Request receive = start_receive(on_host_, column);
    EXPECT_EQ(outcome([&] { receive.wait(); }), Outcome::fine);
    EXPECT_EQ(outcome([&] { sending.wait(); }), Outcome::fine);
    expect_arrived(on_host_);
  }
}

}  // namespace
}  // namespace typewarp::test
