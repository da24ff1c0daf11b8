// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages of a device that is faked: work is done late, in the order of its stream, and may fail. When a
// message is over, no work that uses its memory is left.

#include "support/user_buffer.hpp"
#include "transport/memory/fixed_pool.hpp"
#include "transport/fake_device/fake_device.hpp"
#include "transport/outcome.hpp"
#include "transport/protocol_fixture.hpp"

#include <chrono>
#include <list>
#include <string>
#include <vector>

namespace typewarp {
namespace {

using test::DeviceFailure;
using test::DeviceMemory;
using test::FailingDevice;
using test::Outcome;
using test::outcome;
using test::ProtocolTest;
using test::spread;
using test::UserBuffer;

/// Of the device, or not.
class Buffer {
 public:
  Buffer(const Datatype& type, std::uint64_t seed, bool on_device) : image_(type, 1, seed) {
    if (on_device) memory_.emplace(image_.bytes().data(), image_.bytes().size());
  }
  UserBuffer& image() { return image_; }

 private:
  UserBuffer image_;
  std::optional<DeviceMemory> memory_;
};

class FakeDevice : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    SessionOptions options = limited_fragments;
    options.pool_bytes = 12 * 1024;
    start(options);
  }

  void expect_nothing_is_left() {
    while (state_->progress.active() != 0) state_->progress.advance_some();
    expect_nothing_is_held();
    EXPECT_EQ(test::moves_under_way(), 0U);
    EXPECT_LE(test::pinned_buffers(), 2U);  // the shares of the pool
  }

  /// Some messages at once, from and to memory of either kind.
  void exchange(std::int64_t bytes) {
    struct Pair {
      Pair(const Datatype& type, std::uint64_t seed, bool from_device, bool to_device)
          : sent(type, seed, from_device), received(type, 999, to_device), expected(type, 1, 999) {}

      Buffer sent, received;
      UserBuffer expected;
    };
    const Datatype type = spread(bytes);
    const Plan plan = commit(type);
    std::list<Pair> pairs;
    std::vector<Request> requests;
    for (int i = 0; i < 12; ++i) {
      const auto seed = [&](int rank) { return static_cast<std::uint64_t>(100 * i + rank); };
      Pair& pair = pairs.emplace_back(type, seed(rank_), i % 2 == 0, i % 4 < 2);
      UserBuffer theirs(type, 1, seed(partner()));
      scatter(gathered(theirs, type, 1), pair.expected, type, 1);
      requests.push_back(irecv(pair.received.image().origin(), 1, plan, partner(), i, comm_, nullptr));
      requests.push_back(isend(pair.sent.image().origin(), 1, plan, partner(), i, comm_, nullptr));
    }
    wait_all(requests);
    for (Pair& pair : pairs) EXPECT_EQ(pair.received.image().bytes(), pair.expected.bytes()) << bytes;
    expect_nothing_is_left();
  }

  struct Ends {
    Outcome sender, receiver;
    bool happened;
  };

  /// A message to itself, from and to the device or the host.
  Ends message(std::int64_t bytes, bool from_device, bool to_device, DeviceFailure what, int nth) {
    Buffer source(spread(bytes), 1, from_device);
    Buffer target(spread(bytes), 2, to_device);
    const Plan plan = commit(spread(bytes));
    state_->gather.turn();  // so that the send is the first in a row, which is packed in its call
    const FailingDevice failing(what, nth);
    Ends ends{};
    Request receive, sending;
    ends.receiver = outcome<GpuError>(
        [&] { receive = irecv(target.image().origin(), 1, plan, rank_, tag, comm_, nullptr); });
    ends.sender = outcome<GpuError>(
        [&] { sending = isend(source.image().origin(), 1, plan, rank_, tag, comm_, nullptr); });
    if (ends.receiver != Outcome::fine || ends.sender != Outcome::fine) {
      end_alone(receive, sending);
    } else {
      ends.receiver = outcome<GpuError>([&] { receive.wait(); });
      ends.sender = outcome<GpuError>([&] { sending.wait(); });
    }
    ends.happened = failing.happened();
    expect_nothing_is_left();
    return ends;
  }

  /// Where one of both was never started.
  void end_alone(Request& receive, Request& sending) {
    receive.cancel();
    receive.wait();
    if (!sending.active()) return;
    std::vector<std::byte> rest(10'000);
    recv(rest.data(), 10'000, commit(Named::byte), rank_, tag, comm_, nullptr);
    sending.wait();
  }
};

TEST_F(FakeDevice, CarriesEveryByte) {
  for (const std::int64_t bytes : {0, 1, 400, 509, 600, 601, 1024, 5000, 50'000}) exchange(bytes);
}

TEST_F(FakeDevice, UnpackThatFailsEndsTheReceiveOnly) {
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution}) {
    for (const std::int64_t bytes : {400, 5000}) {
      const int moves = bytes == 400 ? 1 : 5;
      for (int nth = 1; nth <= moves; ++nth) {
        const Ends ends = message(bytes, false, true, what, nth);
        EXPECT_TRUE(ends.happened) << bytes << ", " << nth;
        EXPECT_EQ(ends.receiver, Outcome::failed) << bytes << ", " << nth;
        EXPECT_EQ(ends.sender, Outcome::fine) << bytes << ", " << nth;
      }
    }
    exchange(5000);
  }
}

TEST_F(FakeDevice, PackThatFailsIsToldToTheReceiver) {
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution}) {
    for (int nth = 1; nth <= 5; ++nth) {
      const Ends ends = message(5000, true, false, what, nth);
      EXPECT_TRUE(ends.happened) << nth;
      EXPECT_EQ(ends.sender, Outcome::failed) << nth;
      EXPECT_EQ(ends.receiver, Outcome::peer_failed) << nth;
    }
    const Ends eager = message(400, true, false, what, 1);
    EXPECT_TRUE(eager.happened);
    EXPECT_EQ(eager.sender, Outcome::failed);
    exchange(5000);
  }
}

TEST_F(FakeDevice, AsksNothingAboutTheStreamOfPageableMemory) {
  const Stream stream = gpu::private_stream(0);
  const Datatype type = spread(200);
  const Plan plan = commit(type);
  for (const bool on_device : {false, true}) {
    Buffer source(type, 1, on_device);
    Buffer target(type, 2, on_device);
    const int before = test::questions_about_streams();
    Request receiving = irecv(target.image().origin(), 1, plan, rank_, tag, comm_, stream);
    send(source.image().origin(), 1, plan, rank_, tag, comm_, stream);
    receiving.wait();
    EXPECT_EQ(gathered(target.image(), type, 1), gathered(source.image(), type, 1));
    EXPECT_EQ(test::questions_about_streams() == before, !on_device);
  }
  expect_nothing_is_left();
}

// An event that cannot be had must be missed before what it is to follow has begun.
TEST_F(FakeDevice, EventThatCannotBeMadeLeavesNoWorkBehind) {
  for (const bool from_device : {true, false}) {
    for (const std::int64_t bytes : {400, 5000}) {
      int nth = 1;
      while (message(bytes, from_device, !from_device, DeviceFailure::event, nth).happened) ++nth;
      EXPECT_GT(nth, bytes == 400 ? 1 : 5) << bytes;
      exchange(bytes);
    }
  }
}

TEST(FakePinnedMemory, IsTakenInSmallerChunksWhereThereIsLess) {
  const test::ScarcePinnedMemory scarce(std::size_t{100} << 10);
  transport::FixedPool chunks(std::int64_t{1} << 20, std::int64_t{1} << 20);
  const transport::Block first = chunks.take();
  const transport::Block second = chunks.take();
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(chunks.chunk_bytes(), (64 << 10) / transport::FixedPool::least_chunks);
  EXPECT_EQ(test::pinned_buffers(), 1U);
}

TEST(FakePinnedMemory, IsPageableWhereThereIsNone) {
  const test::ScarcePinnedMemory scarce(1000);
  transport::FixedPool chunks(std::int64_t{1} << 20, std::int64_t{1} << 10);
  EXPECT_TRUE(chunks.take());
  EXPECT_EQ(test::pinned_buffers(), 0U);
}

}  // namespace
}  // namespace typewarp
