// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Which protocol a message goes by. Nothing is sent: the session is there to be asked.

#include "engine/runtime/device.hpp"
#include "transport/channel/host_sharing.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"
#include "transport/protocol/get/shared_chunks.hpp"
#include "transport/protocol_fixture.hpp"
#include "transport/protocol/ring_fixture.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace typewarp::test {
namespace {

using transport::DirectOffer;
using transport::MessageBuffer;
using transport::PoolOffer;
using transport::ProtocolRow;
using transport::ReceiveContext;
using transport::RingKey;
using transport::Rts;
using transport::rts_bytes;
using transport::SendCase;

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t mebi = kibi * kibi;

const ProtocolRow* row_named(std::string_view name) {
  const auto rows = transport::protocols();
  const auto found = std::ranges::find(rows, name, &ProtocolRow::name);
  return found == rows.end() ? nullptr : *found;
}

/// Is there, and never asked to carry anything.
class IdleLink final : public transport::GpuChannel {
 public:
  explicit IdleLink(Protocol protocol) : protocol_(protocol) {}
  Protocol protocol() const noexcept override { return protocol_; }
  transport::Transfer start_send(const std::byte*, std::int64_t, int, int) override { return {}; }
  transport::Transfer start_receive(std::byte*, std::int64_t, int, int) override { return {}; }
  bool carries(const MessageBuffer&) const override { return true; }

 private:
  Protocol protocol_;
};

class Select : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    start({});
  }

  int private_partner() { return state_->comms.of(comm_)->private_rank(partner()); }
  void link(Protocol protocol) { state_->link_by(std::make_unique<IdleLink>(protocol)); }
  /// Memory that is never touched.
  MessageBuffer strided(std::int64_t bytes) { return side_of(this, commit(spread(bytes))); }
  MessageBuffer in_place(std::int64_t bytes) { return side_of(this, commit(row(bytes))); }
  static MessageBuffer of_device(MessageBuffer side) {
    side.route.kind = transport::BufferPath::Kind::device;
    return side;
  }

  HostSharing sharing_;
};

class SelectForSend : public Select {
 protected:
  std::string_view way(const MessageBuffer& side, std::string_view after = "") {
    return select(SendCase{*state_, side, private_partner()}, row_named(after)).by->name;
  }
  std::string_view way(std::int64_t bytes, std::string_view after = "") { return way(strided(bytes), after); }
};

TEST_F(SelectForSend, ShortMessagesAreEagerAndLongOnesAnnounced) {
  EXPECT_EQ(way(0), "eager");
  EXPECT_EQ(way(state_->options.eager_bytes), "eager");
  EXPECT_EQ(way(state_->options.eager_bytes + 1), "pipelined");
}

TEST_F(SelectForSend, DataOfTheLengthOfAnAnnouncementIsAnnounced) {
  EXPECT_EQ(way(rts_bytes - 1), "eager");
  EXPECT_EQ(way(rts_bytes), "pipelined");
  EXPECT_EQ(way(rts_bytes + 1), "eager");
}

TEST_F(SelectForSend, WhoeverTakesNoAnnouncementsGetsNone) {
  state_->share_by(sharing_);
  link(Protocol::ucx);
  for (const std::int64_t bytes : {rts_bytes, 100 * mebi}) {
    const MessageBuffer side = strided(bytes);
    EXPECT_EQ(select(SendCase{*state_, side, std::nullopt}).by->name, std::string_view("eager"));
  }
}

TEST_F(SelectForSend, ForcedPipelinedAnnouncesAllThatIsLongEnough) {
  stop();
  start({.protocol = Protocol::pipelined});
  EXPECT_EQ(way(rts_bytes + 1), "pipelined");
  EXPECT_EQ(way(rts_bytes - 1), "eager");
}

TEST_F(SelectForSend, MemoryOfDevicesIsOffered) {
  state_->share_by(sharing_);
  EXPECT_EQ(way(state_->options.direct_bytes), "direct");
  EXPECT_EQ(way(state_->options.direct_bytes - 1), "eager");
}

TEST_F(SelectForSend, MemoryThatCannotBeMappedIsPackedIntoThePoolBeyondTheEagerLimit) {
  state_->share_by(sharing_);
  const std::int64_t bytes = state_->options.eager_bytes;
  EXPECT_EQ(way(bytes, "direct"), "eager");
  EXPECT_EQ(way(bytes + 1, "direct"), "shared chunks");
  EXPECT_EQ(way(bytes + 1, "shared chunks"), "pipelined");
}

TEST_F(SelectForSend, ALinkIsForWhatItCarriesBeyondTheEagerLimit) {
  const std::int64_t bytes = state_->options.eager_bytes;
  for (const Protocol protocol : {Protocol::gpu_aware, Protocol::ucx}) {
    link(protocol);
    EXPECT_EQ(way(bytes), "eager");
    EXPECT_EQ(way(bytes + 1), name(protocol));
    EXPECT_EQ(way(bytes + 1, name(protocol)), "pipelined") << "there is no memory for it";
  }
  state_->share_by(sharing_);
  EXPECT_EQ(way(bytes + 1), "direct") << "what is offered on this host needs no link";
}

class SelectRingForSend : public SelectForSend {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!has_nameless_memory()) GTEST_SKIP() << "needs processes that may share memory";
    start({}, true);
  }
};

TEST_F(SelectRingForSend, HostMemoryOfOneHostTakesRings) {
  const std::int64_t least = state_->profile.ring.least_bytes;
  EXPECT_EQ(way(least), "ring");
  EXPECT_EQ(way(least, "ring"), "eager") << "all rings are in use";
  EXPECT_EQ(way(least - 1), "eager");
  EXPECT_EQ(way(100 * mebi), "ring");
  EXPECT_EQ(way(100 * mebi, "ring"), "pipelined");
  EXPECT_EQ(way(of_device(strided(100 * mebi))), gpu::present() ? "direct" : "pipelined");
}

TEST_F(SelectRingForSend, RingsHaveALimitOfTheirOwnForConsecutiveMemory) {
  state_->profile.ring.least_in_place = 10 * mebi;
  EXPECT_EQ(way(2 * mebi), "ring");
  EXPECT_EQ(way(in_place(2 * mebi)), "pipelined");
  EXPECT_EQ(way(in_place(10 * mebi)), "ring");
}

/// The offer of a pool for a message of such runs.
constexpr PoolOffer with_runs_of(std::int32_t run) {
  return {{.kind = gpu::SharedMemory::Kind::ipc,
           .process = {},
           .allocation = 0,
           .base = 0,
           .size = mebi,
           .offset = 0,
           .device = {},
           .handle = {}},
          kibi,
          run};
}
constexpr PoolOffer short_runs = with_runs_of(8);
constexpr PoolOffer long_runs = with_runs_of(4096);

class SelectForReceive : public Select {
 protected:
  void SetUp() override {
    Select::SetUp();
    state_->share_by(sharing_);
    sharing_.is_near = false;
  }

  /// Of a message of so many bytes, to such a buffer.
  std::string_view way(std::int64_t bytes, const MessageBuffer& side, std::string_view after = "") {
    Rts rts{.bytes = bytes, .sender = private_partner(), .reply_tag = 1};
    if (direct) rts.offers.add(transport::get_row.id, DirectOffer{});
    if (pool) rts.offers.add(transport::ipc_row.id, *pool);
    if (linked) rts.offers.add(row_named("ucx")->id, std::int32_t{0});
    if (ring) rts.offers.add(transport::ring_row.id, *ring);
    transport::CopyCoalescer::Candidate candidate;
    return select(ReceiveContext{*state_, side, rts, candidate, row_named(after)}).by->name;
  }
  std::string_view way(std::int64_t bytes, std::string_view after = "") {
    return way(bytes, in_place(bytes), after);
  }

  bool direct = true;
  bool linked = false;
  std::optional<PoolOffer> pool = short_runs;
  std::optional<RingKey> ring;
};

TEST_F(SelectForReceive, OneKernelOrFragmentsWhicheverTakesLessTime) {
  EXPECT_EQ(way(64 * mebi), "shared chunks") << "runs of 8 bytes waste the link";
  EXPECT_EQ(way(64 * mebi, strided(64 * mebi)), "shared chunks") << "runs of 1 byte here";
  pool = long_runs;
  EXPECT_EQ(way(64 * mebi), "direct");
  EXPECT_EQ(way(64 * mebi, strided(64 * mebi)), "shared chunks") << "those of this side are shorter";
  pool = short_runs;
  sharing_.is_near = true;
  EXPECT_EQ(way(64 * mebi), "direct") << "there is no link in between";
  sharing_.is_near = false;
  pool.reset();
  EXPECT_EQ(way(64 * mebi), "direct") << "there are no fragments to be had";
}

TEST_F(SelectForReceive, WhatCopyEnginesBringSoonerComesThroughTheHost) {
  EXPECT_EQ(way(64 * kibi), "direct");
  sharing_.least_by_engines = 0;
  EXPECT_EQ(way(64 * kibi), "pipelined");
  direct = false;
  EXPECT_EQ(way(64 * kibi), "pipelined") << "nor in fragments";
}

TEST_F(SelectForReceive, WhatProvesImpossibleIsPassedOver) {
  link(Protocol::ucx);
  linked = true;
  pool = long_runs;
  EXPECT_EQ(way(64 * mebi, "direct"), "shared chunks");
  EXPECT_EQ(way(64 * mebi, "shared chunks"), "ucx");
  EXPECT_EQ(way(64 * mebi, "ucx"), "pipelined");
  linked = false;
  EXPECT_EQ(way(64 * mebi, "shared chunks"), "pipelined");
}

TEST_F(SelectForReceive, AnotherLinkThanTheSendersCarriesNothing) {
  link(Protocol::gpu_aware);
  linked = true;
  EXPECT_EQ(way(64 * mebi, "shared chunks"), "pipelined");
}

TEST_F(SelectForReceive, WhatDoesNotFitIsRefusedThroughTheHost) {
  ring = RingKey{0, 1};
  link(Protocol::ucx);
  linked = true;
  EXPECT_EQ(way(mebi, in_place(mebi - 1)), "pipelined");
}

class SelectRingForReceive : public SelectForReceive {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!has_nameless_memory()) GTEST_SKIP() << "needs processes that may share memory";
    start({}, true);
    direct = false;
    pool.reset();
    ring = RingKey{.number = 0, .first = 1, .data = 4096};
  }
};

TEST_F(SelectRingForReceive, RingsAreReadByHostMemory) {
  EXPECT_EQ(way(mebi, strided(mebi)), "ring");
  EXPECT_EQ(way(mebi, of_device(strided(mebi))), "pipelined");
  ring.reset();
  EXPECT_EQ(way(mebi, strided(mebi)), "pipelined");
}

TEST_F(SelectRingForReceive, ConsecutiveMemoryIsCopiedOutOfTheSendersIfTheSystemAllowsIt) {
  const std::int64_t most = state_->profile.ring.most_in_place;
  const bool may_read = transport::rings_of(*state_).may_read(private_partner());
  EXPECT_EQ(way(most + 1), may_read ? "ring" : "pipelined");
  state_->profile.ring.reads_memory = false;
  EXPECT_EQ(way(most + 1), "pipelined");
  EXPECT_EQ(way(most), "ring") << "the ring itself is as fast";
}

TEST_F(SelectRingForReceive, RingsThatCannotBeAreErrors) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const RingKey& wrong : {RingKey{-1, 1}, RingKey{0, 0}, RingKey{0, most - mebi}}) {
    ring = wrong;
    EXPECT_THROW(way(mebi, strided(mebi)), Error);
  }
}

TEST(Protocols, AreToldApartByTheirNamesAndOffers) {
  std::set<transport::ChannelId> ids;
  for (const ProtocolRow* const one : transport::protocols()) {
    EXPECT_EQ(row_named(one->name), one);
    if (one->id == 0) continue;
    EXPECT_EQ(transport::row_of(one->id), one);
    EXPECT_LT(one->id, transport::most_channels);
    EXPECT_TRUE(ids.insert(one->id).second) << one->name;
  }
}

}  // namespace
}  // namespace typewarp::test
