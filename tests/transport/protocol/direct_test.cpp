// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages that the receiver reads where they lie, at both ends.

#include "support/random_type.hpp"
#include "transport/protocol/direct_fixture.hpp"

#include <array>
#include <vector>

namespace typewarp::test {
namespace {

const Datatype column = vector(5000, 1, 2, Named::byte);

TEST_F(Direct, MovesWhateverIsOnEitherSide) {
  for (const std::int64_t bytes : {509, 510, 600, 601, 5000, 300'000}) {
    const std::array types{row(bytes), spread(bytes), scattered(bytes)};
    for (const Datatype& sent : types) {
      for (const Datatype& received : types) exchange(sent, 1, received);
    }
    EXPECT_EQ(mapped(), 9) << bytes;
  }
  EXPECT_EQ(state_->host_pools.incoming.taken(), 0U);
}

TEST_F(Direct, MovesRandomTypes) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Datatype type = random_type(seed, {.max_size = 2048});
    const std::int64_t count = 1 + static_cast<std::int64_t>(seed % 3);
    exchange(type, count, scattered_like(type, count, seed), seed);
  }
  EXPECT_GT(mapped(), 30);
}

TEST_F(Direct, LeavesShortMessagesToTheMpi) {
  for (const std::int64_t bytes : {0, 1, 508}) exchange(row(bytes), 1, row(bytes));
  EXPECT_EQ(mapped(), 0);
  SessionOptions options = small_fragments;
  options.direct_bytes = 1000;
  share(options);
  exchange(row(999), 1, row(999));
  exchange(row(509), 1, row(509));
  EXPECT_EQ(mapped(), 0);
  exchange(row(1000), 1, row(1000));
  EXPECT_EQ(mapped(), 1);
}

TEST_F(Direct, IsNotTakenWhereCopyEnginesAreSooner) {
  sharing_.least_by_engines = 1000;
  for (const std::int64_t bytes : {1000, 5000, 300'000}) {
    exchange(spread(bytes), 1, row(bytes));
    EXPECT_EQ(mapped(), 0) << bytes;
  }
  exchange(spread(999), 1, row(999));
  EXPECT_EQ(mapped(), 1);
  SessionOptions options = small_fragments;
  options.protocol = Protocol::direct;
  share(options);
  exchange(spread(1000), 1, row(1000));
  EXPECT_EQ(mapped(), 1) << "forced";
}

TEST_F(Direct, IsNotTakenWhereAnotherProtocolIsForced) {
  for (const Protocol protocol : {Protocol::eager, Protocol::pipelined}) {
    SessionOptions options = small_fragments;
    options.protocol = protocol;
    share(options);
    exchange(column, 1, column);
    EXPECT_EQ(mapped(), 0) << name(protocol);
  }
}

// One rank that does not take part is neither offered anything nor offers.
TEST_F(Direct, IsNotTakenWhereOneEndForcesAnother) {
  TYPEWARP_NEEDS_RANKS(2);
  SessionOptions options = small_fragments;
  if (rank_ % 2 == 0) options.protocol = Protocol::pipelined;
  share(options);
  exchange(column, 1, column);
  EXPECT_EQ(mapped(), 0);
}

TEST_F(Direct, MemoryThatCannotBeMappedComesInFragments) {
  sharing_.maps = false;
  share(small_fragments);
  exchange(column, 1, column);
  exchange(scattered(5000), 1, column);
  EXPECT_EQ(mapped(), 0);
}

// Plans that are alike at both ends need not be sent; others are sent once.
TEST_F(Direct, AsksForAPlanOnce) {
  exchange(scattered(5000), 1, scattered(5000));
  EXPECT_EQ(transport::KnownPlans::of(*state_).plans.kept(), 0U);
  for (int i = 0; i < 3; ++i) {
    exchange(scattered(5000), 1, column);
    EXPECT_EQ(transport::KnownPlans::of(*state_).plans.kept(), 1U);
  }
  exchange(column, 1, scattered(5000));
  EXPECT_EQ(transport::KnownPlans::of(*state_).plans.kept(), 2U);
  EXPECT_EQ(mapped(), 5);
}

TEST_F(Direct, FailureOfTheCopyEndsBothEnds) {
  for (std::atomic<bool>* fails : {&sharing_.fails_early, &sharing_.fails_late}) {
    UserBuffer mine(column, 1, 1);
    UserBuffer received(column, 1, 2);
    *fails = true;
    Request receive = irecv(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
    Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
    EXPECT_THROW(receive.wait(), GpuError);
    EXPECT_THROW(sending.wait(), Error);
    MPI_Barrier(comm_);
    *fails = false;
    exchange(column, 1, column);
  }
}

TEST_F(Direct, ManyInFlight) {
  constexpr int messages = 50;
  exchange_many(messages, column);
  EXPECT_EQ(mapped(), messages);
}

}  // namespace
}  // namespace typewarp::test
