// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages through rings whose fragments many threads share.

#include "transport/protocol/ring_fixture.hpp"
#include "transport/protocol/ring/ring_message.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace typewarp {
namespace {

using test::row;
using test::spread;
using test::UserBuffer;
using transport::OwnRing;
using transport::RingPolicy;

class LongRings : public test::ThroughRings {};

TEST_F(LongRings, AreTakenWhereThatIsAskedForUntilShortOnesAreLeft) {
  std::vector<OwnRing> own;
  for (std::int64_t i = 0; i < RingPolicy::long_rings; ++i) {
    own.push_back(rings().take(true));
    const transport::Ring& ring = own.back().ring();
    EXPECT_TRUE(ring.is_long());
    EXPECT_EQ(ring.consecutive(0), RingPolicy::long_capacity);
    std::fill_n(ring.data, RingPolicy::long_capacity, static_cast<std::byte>(i + 1));
  }
  own.push_back(rings().take(true));
  EXPECT_FALSE(own.back().ring().is_long());
  std::fill_n(own.back().ring().data, RingPolicy::capacity, std::byte{});
  for (std::size_t i = 0; i < RingPolicy::long_rings; ++i) {
    const std::byte* const data = own[i].ring().data;
    const auto filled = static_cast<std::byte>(i + 1);
    EXPECT_EQ(std::count(data, data + RingPolicy::long_capacity, filled), RingPolicy::long_capacity);
    const transport::Ring again = rings().of(state_->comm.rank(), {own[i].number(), own[i].ring().first});
    EXPECT_TRUE(again.is_long());
    EXPECT_EQ(again.place(RingPolicy::long_capacity - 1)[0], filled);
  }
  own.clear();
  EXPECT_TRUE(rings().take(true).ring().is_long());
}

// Here the system refuses the pages of the second one, since they may not be written.
TEST_F(LongRings, LeaveShortOnesWhereThereIsNoMemoryForThem) {
  const OwnRing first = rings().take(true);
  ASSERT_TRUE(first.ring().is_long());
  std::byte* const behind = first.ring().data + RingPolicy::long_capacity;
  ASSERT_EQ(mprotect(behind, RingPolicy::long_capacity, PROT_READ), 0);
  EXPECT_FALSE(rings().take(true).ring().is_long());
  EXPECT_TRUE(rings().take(true));
  ASSERT_EQ(mprotect(behind, RingPolicy::long_capacity, PROT_READ | PROT_WRITE), 0);
  EXPECT_TRUE(rings().take(true).ring().is_long());
}

TEST_F(LongRings, MoveWhateverIsOnEitherSide) {
  state_->profile.ring.long_from = long_bytes;
  state_->profile.ring.least_threads = 1;
  state_->profile.ring.reads_memory = false;
  state_->profile.ring.most_in_place = 2 * RingPolicy::long_capacity;  // also consecutive to consecutive
  for (const std::int64_t bytes : {long_bytes - 1, long_bytes}) {
    exchange(spread(bytes), 1, spread(bytes));
    exchange(spread(bytes), 1, row(bytes));
    exchange(row(bytes), 1, spread(bytes));
    exchange(row(bytes), 1, row(bytes));
  }
  const Datatype beyond = vector(RingPolicy::long_capacity / 8 + 1234, 1, 2, Named::double_);
  exchange(beyond, 1, beyond);
}

TEST_F(LongRings, AreForManyThreads) {
  RingPolicy& policy = state_->profile.ring;
  policy.least_threads = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(transport::take_ring(*state_, policy.long_from).ring().is_long());
  policy.least_threads = 1;
  EXPECT_TRUE(transport::take_ring(*state_, policy.long_from).ring().is_long());
}

// Their fragments are what many threads share, at both ends.
TEST_F(LongRings, HaveLongFragments) {
  constexpr std::int64_t bytes = 1 << 20;
  const RingPolicy& policy = state_->profile.ring;
  const Datatype type = spread(bytes);
  const Plan plan = commit(type);
  UserBuffer sent(type, 1, 1);
  UserBuffer received(type, 1, 2);
  const transport::MessageBuffer from = side_of(sent.origin(), plan), to = side_of(received.origin(), plan);
  for (const bool is_long : {false, true}) {
    state_->profile.ring.long_from = is_long ? bytes : bytes + 1;
    state_->profile.ring.least_threads = 1;
    OwnRing ring = transport::take_ring(*state_, bytes);
    ASSERT_EQ(ring.ring().is_long(), is_long);
    const transport::Ring seen = ring.ring();
    transport::RingWriter writer(std::move(ring), from, policy);
    const transport::RingKey offer = writer.offer(true);
    transport::RingReader reader(rings(), state_->profile.ring, to, announced(bytes, offer), offer);
    writer.advance();
    EXPECT_EQ(seen.written(), is_long ? policy.least_long_fragment : policy.bytes_at_a_time);
    reader.advance();
    EXPECT_EQ(reader.steps(), seen.written());
    while (!reader.advance()) writer.advance();
    EXPECT_EQ(gathered(received, type, 1), gathered(sent, type, 1));
    EXPECT_TRUE(writer.answer());
  }
}

}  // namespace
}  // namespace typewarp
