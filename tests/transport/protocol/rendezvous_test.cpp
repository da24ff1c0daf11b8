// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages that are announced: every pair of in place and in fragments, every way in which they end early.

#include "support/user_buffer.hpp"
#include "transport/protocol_fixture.hpp"

#include <thread>
#include <vector>

namespace typewarp {
namespace {

using test::ProtocolTest;
using test::row;
using test::spread;
using test::UserBuffer;

template <typename Call>
int mpi_error_class(Call call) {
  try {
    call();
  } catch (const MpiError& error) {
    return error.error_class();
  }
  return MPI_SUCCESS;
}

class Rendezvous : public ProtocolTest {
 protected:
  /// Whether the MPI cancels sends of announcements' length to this rank, which sends one too.
  bool mpi_cancels_sends(int peer) const {
    std::vector<std::byte> sent(transport::rts_bytes), received(sent.size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(sent.data(), transport::rts_bytes, MPI_PACKED, peer, tag, comm_, &request);
    MPI_Cancel(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    if (transport::is_cancelled(status)) return true;
    MPI_Recv(received.data(), transport::rts_bytes, MPI_PACKED, peer, tag, comm_, MPI_STATUS_IGNORE);
    return false;
  }
};

TEST_F(Rendezvous, MovesWhateverIsOnEitherSide) {
  start(small_fragments);
  // Around the descriptor's length, the eager limit, one fragment, and some fragments.
  for (const std::int64_t bytes : {508, 509, 510, 599, 600, 601, 1023, 1024, 1025, 5000, 100'000}) {
    exchange(row(bytes), 1, row(bytes));
    exchange(spread(bytes), 1, row(bytes));
    exchange(row(bytes), 1, spread(bytes));
    exchange(spread(bytes), 1, spread(bytes));
    exchange(spread(bytes), 1, spread(bytes + 4000));
    exchange(row(bytes), 1, row(bytes + 4000));
  }
}

TEST_F(Rendezvous, ForcedLeavesShortMessagesAsTheyAre) {
  SessionOptions options = small_fragments;
  options.protocol = Protocol::pipelined;
  start(options);
  for (const std::int64_t bytes : {0, 1, 508, 509, 600}) {
    exchange(row(bytes), 1, row(700));
    exchange(spread(bytes), 1, spread(700));
  }
}

TEST_F(Rendezvous, EagerWhereAllAskForIt) {
  SessionOptions options = small_fragments;
  options.protocol = Protocol::eager;
  start(options);
  exchange(spread(100'000), 1, row(100'000));
  EXPECT_EQ(state_->host_pools.outgoing.taken(), 0U);
  // Had it been announced, it would stay until a receive is posted.
  UserBuffer buffer(spread(3000), 1, 1);
  MPI_Barrier(comm_);
  Request sending = isend(buffer.origin(), 1, commit(spread(3000)), partner(), tag, comm_, nullptr);
  MPI_Status status;
  MPI_Probe(partner(), tag, comm_, &status);
  EXPECT_EQ(transport::received_bytes(status), 3000);
  exchange(spread(1), 1, spread(3000), 0, MPI_COMM_WORLD);
  UserBuffer received(spread(3000), 1, 2);
  recv(received.origin(), 1, commit(spread(3000)), partner(), tag, comm_, nullptr);
  sending.wait();
}

TEST_F(Rendezvous, TruncatedTouchesNothingAndFreesTheSender) {
  start(small_fragments);
  for (const bool in_place : {false, true}) {
    const Datatype sent = spread(5000);
    const Datatype room = in_place ? row(1000) : spread(1000);
    UserBuffer mine(sent, 1, 1);
    UserBuffer received(room, 1, 2);
    Request receive = irecv(received.origin(), 1, commit(room), partner(), tag, comm_, nullptr);
    Request sending = isend(mine.origin(), 1, commit(sent), partner(), tag, comm_, nullptr);
    EXPECT_EQ(mpi_error_class([&] { receive.wait(); }), MPI_ERR_TRUNCATE);
    EXPECT_FALSE(receive.active());
    EXPECT_EQ(sending.wait().bytes, 5000);
    UserBuffer before(room, 1, 2);
    if (!in_place) {
      EXPECT_EQ(received.bytes(), before.bytes());
    }
    exchange(spread(3000), 1, spread(3000));
  }
}

// Shorter than a descriptor, so that the receive has room for one that the user's memory has not.
TEST_F(Rendezvous, TruncatedIntoLessThanADescriptorWritesNothing) {
  start(small_fragments);
  for (const std::int64_t bytes : {300, 509, 5000}) {
    std::vector<std::byte> received(1000, std::byte{7});
    UserBuffer mine(row(bytes), 1, 1);
    Request receive = irecv(received.data(), 100, commit(row(1)), partner(), tag, comm_, nullptr);
    Request sending = isend(mine.origin(), 1, commit(row(bytes)), partner(), tag, comm_, nullptr);
    EXPECT_EQ(mpi_error_class([&] { receive.wait(); }), MPI_ERR_TRUNCATE) << bytes;
    sending.wait();
    EXPECT_EQ(received, std::vector<std::byte>(1000, std::byte{7})) << bytes;
  }
}

TEST_F(Rendezvous, WithAPoolOfOneChunkAShare) {
  start({.eager_bytes = 600, .chunk_bytes = 64, .pool_bytes = 128});
  ASSERT_EQ(state_->host_pools.incoming.chunk_bytes(), 64);
  exchange_many(20, spread(3000));
}

TEST_F(Rendezvous, SynchronousSendWaitsForItsReceive) {
  start(small_fragments);
  for (const std::int64_t bytes : {10, 5000}) {
    const Plan plan = commit(spread(bytes));
    UserBuffer mine(spread(bytes), 1, 1);
    UserBuffer received(spread(bytes), 1, 2);
    Request sending = issend(mine.origin(), 1, plan, partner(), tag, comm_, nullptr);
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(sending.test());
    MPI_Barrier(comm_);
    recv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
    sending.wait();
    EXPECT_EQ(gathered(received, spread(bytes), 1), gathered(mine, spread(bytes), 1));
  }
}

// Nobody learns of a message whose announcement was cancelled.
TEST_F(Rendezvous, CancelEndsAnUnmatchedSendWhereTheMpiDoes) {
  const Datatype type = spread(5000);
  for (const bool through_rings : {false, true}) {
    for (const int peer : {rank_, partner()}) {
      SCOPED_TRACE(testing::Message() << (through_rings ? "rings, " : "") << "to rank " << peer);
      start(small_fragments, through_rings);
      const bool cancels = mpi_cancels_sends(peer);
      UserBuffer mine(type, 1, 1), received(type, 1, 2);
      Request sending = isend(mine.origin(), 1, commit(type), peer, tag, comm_, nullptr);
      sending.cancel();
      meet();
      if (cancels) {
        EXPECT_TRUE(sending.wait().cancelled);
        meet();
        EXPECT_FALSE(iprobe(peer, tag, comm_));
      } else {
        recv(received.origin(), 1, commit(type), peer, tag, comm_, nullptr);
        EXPECT_FALSE(sending.wait().cancelled);
        EXPECT_EQ(gathered(received, type, 1), gathered(mine, type, 1));
      }
      expect_nothing_is_held();
      stop();
    }
  }
}

// To the own process, where it is matched in the call. Cancelled at each step of it.
TEST_F(Rendezvous, CancelLeavesAMatchedSend) {
  const Datatype type = spread(5000);
  const Plan plan = commit(type);
  for (const bool through_rings : {false, true}) {
    start(small_fragments, through_rings);
    for (int looks = 0; looks < 10; ++looks) {
      SCOPED_TRACE(testing::Message() << (through_rings ? "rings, " : "") << "after look " << looks);
      UserBuffer mine(type, 1, 1), received(type, 1, 2);
      Request receive = irecv(received.origin(), 1, plan, rank_, tag, comm_, nullptr);
      Request sending = isend(mine.origin(), 1, plan, rank_, tag, comm_, nullptr);
      for (int look = 0; look < looks; ++look) sending.ready();
      sending.cancel();
      EXPECT_FALSE(receive.wait().cancelled);
      EXPECT_FALSE(sending.wait().cancelled);
      EXPECT_EQ(gathered(received, type, 1), gathered(mine, type, 1));
    }
    expect_nothing_is_held();
    stop();
  }
}

TEST_F(Rendezvous, CancelEndsAReceiveThatNothingMatches) {
  start(small_fragments);
  UserBuffer received(spread(5000), 1, 2);
  Request receive = irecv(received.origin(), 1, commit(spread(5000)), partner(), tag, comm_, nullptr);
  receive.cancel();
  const Status status = receive.wait();
  EXPECT_TRUE(status.cancelled);
  EXPECT_EQ(status.bytes, 0);
  MPI_Barrier(comm_);
  exchange(spread(5000), 1, spread(5000));
}

TEST_F(Rendezvous, ThatWasMatchedIsNotCancelled) {
  start(small_fragments);
  UserBuffer mine(spread(5000), 1, 1);
  UserBuffer received(spread(5000), 1, 2);
  const Plan plan = commit(spread(5000));
  Request receive = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
  Request sending = isend(mine.origin(), 1, plan, partner(), tag, comm_, nullptr);
  exchange(row(1), 1, row(1));  // in MPI's order behind it, so it has been matched
  receive.cancel();
  EXPECT_FALSE(receive.wait().cancelled);
  sending.wait();
  EXPECT_EQ(gathered(received, spread(5000), 1), gathered(mine, spread(5000), 1));
}

TEST_F(Rendezvous, AMessageOfTheDescriptorsLengthThatIsNoneIsData) {
  start(small_fragments);
  std::vector<std::byte> sent(509, std::byte{3});
  std::vector<std::byte> received(509);
  MPI_Request plain = MPI_REQUEST_NULL;
  MPI_Isend(sent.data(), 509, MPI_BYTE, partner(), tag, comm_, &plain);
  EXPECT_EQ(recv(received.data(), 509, commit(row(1)), partner(), tag, comm_, nullptr).bytes, 509);
  MPI_Wait(&plain, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, sent);
}

TEST_F(Rendezvous, WorksOnOtherCommunicatorsOfTheSameRanks) {
  start(small_fragments);
  for (int i = 0; i < 100; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &copy), MPI_SUCCESS);
    exchange(spread(2000), 1, row(2000), 0, copy);
    MPI_Comm_free(&copy);
    ASSERT_LE(state_->comms.known(), 1U);
  }
}

TEST_F(Rendezvous, ManyTransportsFollowEachOther) {
  for (int i = 0; i < 20; ++i) {
    start(small_fragments);
    exchange(spread(2000), 1, row(2000));
    stop();
    exchange(spread(2000), 1, row(2000));
  }
}

// Without the calls of progress() neither rank of a pair would come to the end of its wait.
TEST_F(Rendezvous, IsMovedOnByWhoWaitsForSomethingElse) {
  start(small_fragments);
  if (rank_ == partner()) return;
  const Plan plan = commit(spread(50'000));
  UserBuffer mine(spread(50'000), 1, 1);
  UserBuffer received(spread(50'000), 1, 2);
  if (rank_ % 2 == 0) {
    Request receive = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Irecv(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_, &sent);
    int done = 0;
    while (done == 0) {
      progress();
      MPI_Test(&sent, &done, MPI_STATUS_IGNORE);
    }
    receive.wait();
    EXPECT_EQ(gathered(received, spread(50'000), 1), gathered(mine, spread(50'000), 1));
  } else {
    send(mine.origin(), 1, plan, partner(), tag, comm_, nullptr);
    MPI_Send(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_);
  }
}

TEST_F(Rendezvous, AProgressThreadMovesWhatNobodyWaitsFor) {
  SessionOptions options = small_fragments;
  options.progress_thread = true;
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  if (granted != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "needs an MPI that grants MPI_THREAD_MULTIPLE";
  start(options);
  UserBuffer mine(spread(50'000), 1, 1);
  UserBuffer received(spread(50'000), 1, 2);
  Request receive = irecv(received.origin(), 1, commit(spread(50'000)), partner(), tag, comm_, nullptr);
  Request sending = isend(mine.origin(), 1, commit(spread(50'000)), partner(), tag, comm_, nullptr);
  while (state_->progress.active() != 0) std::this_thread::yield();
  EXPECT_EQ(gathered(received, spread(50'000), 1), gathered(mine, spread(50'000), 1));
  receive.wait();
  sending.wait();
}

}  // namespace
}  // namespace typewarp
