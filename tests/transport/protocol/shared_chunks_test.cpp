// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages that are packed into chunks which the receiver has mapped, at both ends.

#include "support/random_type.hpp"
#include "transport/protocol/direct_fixture.hpp"

#include <chrono>
#include <vector>

namespace typewarp::test {
namespace {

const Datatype column = vector(5000, 1, 2, Named::byte);

using SharedChunks = DirectFragments;

TEST_F(SharedChunks, MoveWhateverIsOnEitherSide) {
  for (const std::int64_t bytes : {1001, 1024, 1025, 5000, 300'000}) {
    const std::vector<Datatype> types{row(bytes), spread(bytes), scattered(bytes)};
    for (const Datatype& sent : types) {
      for (const Datatype& received : types) exchange(sent, 1, received);
    }
    EXPECT_EQ(unpacked(), 9 * fragments_of(bytes)) << bytes;
  }
  EXPECT_EQ(mapped(), 0);
  exchange(column, 1, spread(6000));
  exchange(row(1000), 1, spread(1000));
  EXPECT_EQ(mapped(), 1);
}

TEST_F(SharedChunks, MoveRandomTypes) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 2048});
    const std::int64_t count = 1 + static_cast<std::int64_t>(seed % 3);
    exchange(type, count, test::scattered_like(type, count, seed), seed);
  }
  EXPECT_GT(unpacked(), 30);
}

TEST_F(SharedChunks, MoveWhatCannotBeMappedItself) {
  sharing_.names = false;
  sharing_.is_near = true;
  exchange(column, 1, column);
  EXPECT_EQ(unpacked(), fragments_of(5000));
  exchange(row(550), 1, row(550));  // below the eager limit
  EXPECT_EQ(unpacked(), 0);
}

TEST_F(SharedChunks, StayWhatTheyWereWhenALinkComes) {
  state_->link_by(nullptr);
  exchange(column, 1, column);
  EXPECT_EQ(unpacked(), fragments_of(5000));
}

TEST_F(SharedChunks, AreReadByWayOfOwnOnesAsLongAsThereAreAny) {
  sharing_.wants_near = true;
  exchange(column, 1, column);  // also where a rank's messages to itself take all chunks
  share_fragments(small_fragments, 4096);
  unpacked();
  exchange(column, 1, column);
  EXPECT_EQ(unpacked(), fragments_of(5000));
  EXPECT_GT(sharing_.staged, 0);
  sharing_.fails_early = true;
  UserBuffer mine(column, 1, 1);
  UserBuffer received(column, 1, 2);
  Request receive = irecv(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  EXPECT_THROW(receive.wait(), GpuError);
  sending.wait();
  settle();
}

TEST_F(SharedChunks, ThatCannotBeMappedAreNotTaken) {
  sharing_.maps = false;
  exchange(column, 1, column);
  EXPECT_EQ(unpacked(), 0);
}

TEST_F(SharedChunks, OfOneFragmentServeManyMessages) {
  share_fragments(small_fragments, 256);
  constexpr int messages = 20;
  exchange_many(messages, column);
  EXPECT_EQ(unpacked(), messages * fragments_of(5000));
}

TEST_F(SharedChunks, OfLessThanAFragmentAreOneShortPiece) {
  constexpr std::int64_t bytes = 100;
  share_fragments(small_fragments, bytes);
  EXPECT_EQ(pool().fragment_bytes(), bytes);
  exchange(column, 1, column);
  EXPECT_EQ(unpacked(), 5000 / bytes);
}

TEST_F(SharedChunks, AreNotTakenWhereNoMemoryIsAllowed) {
  share_fragments(small_fragments, 0);
  exchange(column, 1, column);
  sharing_.names = false;
  exchange(column, 1, column);
  EXPECT_EQ(unpacked(), 0);
}

// The sender sends to the end, and gets all its chunks back.
TEST_F(SharedChunks, ComeBackWhereUnpackingFails) {
  sharing_.fails_early = true;
  UserBuffer mine(column, 1, 1);
  UserBuffer received(column, 1, 2);
  Request receive = irecv(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  Request sending = isend(mine.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  EXPECT_THROW(receive.wait(), GpuError);
  EXPECT_EQ(sending.wait().bytes, 5000);
  settle();
  sharing_.fails_early = false;
  exchange(column, 1, column);
}

TEST_F(SharedChunks, OfASenderThatGaveUpTellItsReceiver) {
  SessionOptions options = small_fragments;
  options.time_limit = std::chrono::milliseconds(30);
  share_fragments(options, 1024);
  expect_sender_that_gives_up_tells_its_receiver(column);
}

// All that comes is answered, but not read.
TEST_F(SharedChunks, OfAReceiverThatGaveUpComeBack) {
  SessionOptions options = small_fragments;
  if (rank_ % 2 != 0) options.time_limit = std::chrono::milliseconds(30);
  share_fragments(options, 1024);
  if (rank_ == partner()) GTEST_SKIP() << "needs 2 ranks";
  expect_receiver_that_gives_up_lets_its_sender_end(column);
  EXPECT_EQ(unpacked(), 0);
}

}  // namespace
}  // namespace typewarp::test
