// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages from device to device by a link, with a device that is faked: the MPI can take its memory, since
// it is the host's.

#include "support/user_buffer.hpp"
#include "support/variable.hpp"
#include "transport/fake_device/fake_device.hpp"
#include "transport/outcome.hpp"
#include "transport/protocol_fixture.hpp"
#include "transport/channel/gpu/gpu_channel.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/protocol/fragments/gpu_fragments.hpp"
#include "transport/channel/ucx/ucx_channel.hpp"

#include <chrono>
#include <vector>

namespace typewarp {
namespace {

using test::DeviceFailure;
using test::DeviceMemory;
using test::FailingDevice;
using test::Outcome;
using test::outcome;
using test::ProtocolTest;
using test::UserBuffer;

const Datatype column = vector(5000, 1, 2, Named::byte);
const Datatype row = contiguous(5000, Named::byte);
constexpr int fragments = 5;

class DeviceLink : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    SessionOptions options = limited_fragments;
    options.protocol = Protocol::gpu_aware;
    options.device_pool_bytes = 16 * 1024;
    start(options);
    ASSERT_TRUE(session_->possible(Protocol::gpu_aware));
    state_->profile.link.fragment_scale = state_->profile.direct.fragment_bytes = 1024;
  }

  void expect_nothing_is_left() {
    while (state_->progress.active() != 0) state_->progress.advance_some();
    expect_nothing_is_held();
    EXPECT_EQ(test::moves_under_way(), 0U);
    EXPECT_LE(test::pinned_buffers(), 1U);  // that of sending: nothing was received through the host
    std::byte byte{};
    const DeviceMemory memory(&byte, 1);
    const auto way = state_->device_pools.link_way(side_of(&byte, commit(vector(2, 1, 2, Named::byte))));
    ASSERT_TRUE(way && way->pool != nullptr);
    EXPECT_EQ(way->pool->taken(), 0U);
  }

  void exchange(const Datatype& from, const Datatype& to) {
    UserBuffer sent(from, 1, static_cast<std::uint64_t>(rank_));
    UserBuffer theirs(from, 1, static_cast<std::uint64_t>(partner()));
    UserBuffer received(to, 1, 99);
    UserBuffer expected(to, 1, 99);
    {
      const DeviceMemory of_sent(sent.bytes().data(), sent.bytes().size());
      const DeviceMemory of_received(received.bytes().data(), received.bytes().size());
      sendrecv(sent.origin(), 1, commit(from), partner(), tag, received.origin(), 1, commit(to), partner(),
               tag, comm_, nullptr);
    }
    scatter(gathered(theirs, from, 1), expected, to, 1);
    EXPECT_EQ(received.bytes(), expected.bytes()) << from << "to\n" << to;
    expect_nothing_is_left();
  }

  const test::Variable told_{"TYPEWARP_GPU_AWARE", "1"};

  struct Ends {
    Outcome sender, receiver;
    bool happened;
  };

  /// A message to itself.
  Ends message(DeviceFailure what, int nth, const Datatype& from, const Datatype& to) {
    UserBuffer source(from, 1, 1);
    UserBuffer target(to, 1, 2);
    const DeviceMemory of_source(source.bytes().data(), source.bytes().size());
    const DeviceMemory of_target(target.bytes().data(), target.bytes().size());
    // Started without failures, and not moved on before they are counted.
    if (has_thread_) state_->progress.stop_thread();
    Request receive = irecv(target.origin(), 1, commit(to), rank_, tag, comm_, nullptr);
    Request sending = isend(source.origin(), 1, commit(from), rank_, tag, comm_, nullptr);
    const FailingDevice failing(what, nth);
    if (has_thread_) state_->progress.start_thread();
    Ends ends{};
    ends.receiver = outcome<GpuError>([&] { receive.wait(); });
    ends.sender = outcome<GpuError>([&] { sending.wait(); });
    ends.happened = failing.happened();
    expect_nothing_is_left();
    return ends;
  }
};

TEST_F(DeviceLink, CarriesEveryByteInPlaceOrPacked) {
  for (const Datatype& from : {column, row}) {
    for (const Datatype& to : {column, row}) exchange(from, to);
  }
}

// Kernels reach the pinned memory of the host by themselves, which spares a copy.
TEST_F(DeviceLink, IsNotUsedWhereOneSideIsTheHosts) {
  UserBuffer sent(column, 1, 1);
  UserBuffer received(column, 1, 2);
  const DeviceMemory of_sent(sent.bytes().data(), sent.bytes().size());
  sendrecv(sent.origin(), 1, commit(column), rank_, tag, received.origin(), 1, commit(column), rank_, tag,
           comm_, nullptr);
  const auto way = state_->device_pools.link_way(side_of(sent.origin(), commit(column)));
  EXPECT_EQ(way->pool->fragment_bytes(), 1024);
  EXPECT_EQ(gathered(received, column, 1), gathered(sent, column, 1));
}

TEST_F(DeviceLink, PackOrUnpackThatFailsEndsItsSide) {
  for (const DeviceFailure what : {DeviceFailure::launch, DeviceFailure::execution}) {
    for (int nth = 1; nth <= fragments; ++nth) {
      const Ends packed = message(what, nth, column, row);
      EXPECT_TRUE(packed.happened) << nth;
      EXPECT_EQ(packed.sender, Outcome::failed) << nth;
      EXPECT_EQ(packed.receiver, Outcome::peer_failed) << nth;
      const Ends unpacked = message(what, nth, row, column);
      EXPECT_TRUE(unpacked.happened) << nth;
      EXPECT_EQ(unpacked.sender, Outcome::fine) << nth;
      EXPECT_EQ(unpacked.receiver, Outcome::failed) << nth;
      exchange(column, column);
    }
  }
}

TEST_F(DeviceLink, EventThatCannotBeMadeLeavesNoWorkBehind) {
  int nth = 1;
  while (message(DeviceFailure::event, nth, column, column).happened) ++nth;
  EXPECT_GT(nth, fragments);
  exchange(column, column);
}

/// A link that brings something else.
class Liar final : public transport::GpuChannel {
 public:
  enum class Lie { byte, length, error, silence };
  Liar(Lie lie, MPI_Comm comm) : lie_(lie), honest_(transport::make_mpi_link(comm)) {}

  Protocol protocol() const noexcept override { return Protocol::gpu_aware; }
  transport::Transfer start_send(const std::byte* data, std::int64_t bytes, int rank, int with) override {
    if (bytes > 600) {
      if (lie_ == Lie::error) throw Error("a failure that the test asked for");
      if (lie_ == Lie::byte) const_cast<std::byte*>(data)[bytes - 1] ^= std::byte{1};
      if (lie_ == Lie::length) --bytes;
      if (lie_ == Lie::silence) return {};
    }
    return honest_->start_send(data, bytes, rank, with);
  }
  transport::Transfer start_receive(std::byte* data, std::int64_t bytes, int rank, int with) override {
    if (lie_ == Lie::error && bytes > 600) throw Error("a failure that the test asked for");
    return honest_->start_receive(data, bytes, rank, with);
  }

 private:
  Lie lie_;
  std::unique_ptr<transport::GpuChannel> honest_;
};

TEST_F(DeviceLink, ThatLiesDoesNotProveItself) {
  EXPECT_TRUE(transport::proves_itself(*transport::make_mpi_link(comm_), comm_));
  for (const Liar::Lie lie : {Liar::Lie::byte, Liar::Lie::length, Liar::Lie::error, Liar::Lie::silence}) {
    Liar liar(lie, comm_);
    EXPECT_FALSE(transport::proves_itself(liar, comm_, std::chrono::milliseconds(300)))
        << static_cast<int>(lie);
  }
  if (ranks_ < 2) return;
  Liar liar(Liar::Lie::byte, comm_);  // in one rank only: none may use it
  const auto honest = transport::make_mpi_link(comm_);
  EXPECT_FALSE(transport::proves_itself(rank_ == 0 ? liar : *honest, comm_));
}

class LinkChoice : public ProtocolTest {
 protected:
  bool possible(Protocol protocol, const char* gpu_aware) {
    const test::Variable told("TYPEWARP_GPU_AWARE", gpu_aware);
    stop();
    SessionOptions options = small_fragments;
    options.protocol = protocol;
    start(options);
    return session_->possible(Protocol::gpu_aware);
  }
};

TEST_F(LinkChoice, IsWhatTheUserSays) {
  EXPECT_TRUE(possible(Protocol::gpu_aware, "1"));
  EXPECT_FALSE(possible(Protocol::gpu_aware, "0"));
  EXPECT_EQ(possible(Protocol::gpu_aware, ""), transport::mpi_is_gpu_aware(comm_));
}

TEST_F(LinkChoice, IsNoneOnOneHostAndForOtherProtocols) {
  for (const Protocol other :
       {Protocol::automatic, Protocol::direct, Protocol::pipelined, Protocol::eager, Protocol::ucx}) {
    EXPECT_FALSE(possible(other, "1")) << name(other);
  }
}

TEST_F(LinkChoice, IsNoneWhereOneRankHasNone) {
  if (ranks_ < 2) GTEST_SKIP() << "needs 2 ranks";
  EXPECT_FALSE(possible(Protocol::gpu_aware, rank_ == 0 ? "0" : "1"));
}

TEST_F(LinkChoice, BetweenHostsIsTheMpiIfItProvesItself) {
  const auto made = [&](Protocol wanted, bool one_host, const char* gpu_aware) {
    const test::Variable told("TYPEWARP_GPU_AWARE", gpu_aware);
    const auto link = transport::make_gpu_channel(wanted, one_host, comm_);
    return link ? name(link->protocol()) : "none";
  };
  EXPECT_EQ(made(Protocol::automatic, false, "1"), "gpu_aware");
  EXPECT_EQ(made(Protocol::automatic, true, "1"), "none");
  EXPECT_EQ(made(Protocol::automatic, false, "0"), "none");
  EXPECT_EQ(made(Protocol::gpu_aware, true, "1"), "gpu_aware");
  for (const Protocol other : {Protocol::direct, Protocol::pipelined, Protocol::eager}) {
    EXPECT_EQ(made(other, false, "1"), "none") << name(other);
  }
}

// UCX does look for the device, and there is none.
TEST_F(LinkChoice, OfUcxNeedsARealDevice) {
  if (transport::ucx_library() == nullptr) GTEST_SKIP() << "needs UCX (TYPEWARP_UCX_LIBRARY names one)";
  if (transport::ucx_takes_device_memory(*transport::ucx_library()))
    GTEST_SKIP() << "needs a machine without a GPU";
  EXPECT_EQ(make_ucx_link(*transport::ucx_library(), transport::UcxMemory::device, comm_), nullptr);
  EXPECT_NE(make_ucx_link(*transport::ucx_library(), transport::UcxMemory::host, comm_), nullptr);
}

}  // namespace
}  // namespace typewarp
