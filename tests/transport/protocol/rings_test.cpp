// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages of host memory between ranks of one host, through memory that both have mapped.

#include "support/random_type.hpp"
#include "transport/protocol/ring_fixture.hpp"
#include "transport/protocol/ring/ring_message.hpp"
#include "transport/request/waiting.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace typewarp {
namespace {

using test::row;
using test::spread;
using test::ThroughRings;
using test::UserBuffer;
using transport::OwnRing;
using transport::RingPolicy;
using transport::Waiting;

TEST_F(ThroughRings, AreMappedByAllRanksOfTheHost) {
  for (int other = 0; other < ranks_; ++other) EXPECT_TRUE(rings().reach(other));
}

TEST_F(ThroughRings, AreNotThereWhereAnotherProtocolIsForced) {
  for (const Protocol protocol : {Protocol::eager, Protocol::pipelined}) {
    stop();
    start(SessionOptions{.protocol = protocol}, true);
    EXPECT_FALSE(rings().reach(state_->comm.rank())) << name(protocol);
    EXPECT_FALSE(rings().take());
  }
}

TEST_F(ThroughRings, AreNotTakenWhereOneEndForcesAnother) {
  TYPEWARP_NEEDS_RANKS(2);
  stop();
  start(SessionOptions{.protocol = rank_ % 2 == 0 ? Protocol::pipelined : Protocol::automatic}, true);
  if (partner() != rank_) {
    EXPECT_FALSE(rings().reach(peer()));
  }
  exchange(spread(100'000), 1, spread(100'000));
}

TEST_F(ThroughRings, AreTakenOnceAtATime) {
  std::vector<OwnRing> own;
  for (std::int64_t i = 0; i < RingPolicy::rings; ++i) {
    own.push_back(rings().take());
    ASSERT_TRUE(own.back());
    for (const OwnRing& other : own) {
      EXPECT_TRUE(&other == &own.back() || other.number() != own.back().number());
    }
  }
  EXPECT_FALSE(rings().take());
  const int number = own.front().number();
  own.front() = OwnRing();
  EXPECT_EQ(rings().take().number(), number);
}

TEST_F(ThroughRings, ARingThatIsNotThereIsAnError) {
  constexpr auto all = static_cast<int>(RingPolicy::rings + RingPolicy::long_rings);
  EXPECT_THROW(static_cast<void>(rings().of(state_->comm.rank(), {-1, 1})), Error);
  EXPECT_NO_THROW(static_cast<void>(rings().of(state_->comm.rank(), {all - 1, 1})));
  EXPECT_THROW(static_cast<void>(rings().of(state_->comm.rank(), {all, 1})), Error);
}

TEST_F(ThroughRings, MoveWhateverIsOnEitherSide) {
  const std::int64_t once_around = RingPolicy::capacity;
  for (const std::int64_t bytes : {std::int64_t{509}, std::int64_t{510}, std::int64_t{5000}, once_around - 1,
                                   once_around, once_around + 1, 3 * once_around + 4321}) {
    exchange(spread(bytes), 1, spread(bytes));
    exchange(spread(bytes), 1, row(bytes));
    exchange(row(bytes), 1, spread(bytes));
    exchange(row(bytes), 1, row(bytes));
  }
}

TEST_F(ThroughRings, MoveRandomTypesInFragmentsOfAnyLength) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto fragment = static_cast<std::int64_t>(1 + 37 * seed % 1000);
    state_->profile.ring.least_fragment = state_->profile.ring.longest_fragment = fragment;
    state_->profile.ring.bytes_at_a_time = 2 * fragment;
    const Datatype type = test::random_type(seed, {.max_size = 2048});
    const std::int64_t count = 1 + static_cast<std::int64_t>(seed % 3);
    exchange(type, count, test::scattered_like(type, count, seed), seed);
  }
}

TEST_F(ThroughRings, MessagesBeyondTheirNumberGoInFragments) {
  constexpr int messages = 2 * static_cast<int>(RingPolicy::rings);
  constexpr std::int64_t bytes = 3000;
  const Plan plan = commit(spread(bytes));
  std::vector<UserBuffer> sent(messages, UserBuffer(spread(bytes), 1, static_cast<std::uint64_t>(rank_)));
  std::vector<UserBuffer> received(messages, UserBuffer(spread(bytes), 1, 5));
  std::vector<Request> requests;
  for (UserBuffer& one : sent) {
    requests.push_back(isend(one.origin(), 1, plan, partner(), tag, comm_, nullptr));
  }
  EXPECT_EQ(rings().taken(), static_cast<std::size_t>(RingPolicy::rings));
  MPI_Barrier(comm_);  // what is answered gives its ring back
  for (UserBuffer& one : received) {
    requests.push_back(irecv(one.origin(), 1, plan, partner(), tag, comm_, nullptr));
  }
  wait_all(requests);
  UserBuffer expected(spread(bytes), 1, static_cast<std::uint64_t>(partner()));
  for (UserBuffer& one : received) {
    EXPECT_EQ(gathered(one, spread(bytes), 1), gathered(expected, spread(bytes), 1));
  }
}

TEST_F(ThroughRings, TruncatedIsNotRead) {
  constexpr std::int64_t bytes = long_bytes;
  UserBuffer mine(spread(bytes), 1, 1);
  UserBuffer received(spread(1000), 1, 2);
  Request receive = irecv(received.origin(), 1, commit(spread(1000)), partner(), tag, comm_, nullptr);
  Request sending = isend(mine.origin(), 1, commit(spread(bytes)), partner(), tag, comm_, nullptr);
  EXPECT_THROW(receive.wait(), MpiError);
  EXPECT_EQ(sending.wait().bytes, bytes);
  UserBuffer before(spread(1000), 1, 2);
  EXPECT_EQ(received.bytes(), before.bytes());
}

TEST_F(ThroughRings, SenderThatGaveUpIsAnErrorOfItsReceiver) {
  UserBuffer mine(spread(long_bytes), 1, 1);
  UserBuffer target(spread(long_bytes), 1, 2);
  Request sending = isend(mine.origin(), 1, commit(spread(long_bytes)), partner(), tag, comm_, nullptr);
  Waiting::give_up(sending);
  EXPECT_THROW(Waiting::finish(sending), TimeLimitExceeded);
  meet();
  EXPECT_THROW(recv(target.origin(), 1, commit(spread(long_bytes)), partner(), tag, comm_, nullptr), Error);
  meet();
  exchange(spread(long_bytes), 1, spread(long_bytes));
}

TEST_F(ThroughRings, MemoryThatCannotBeReadComesThroughTheRing) {
  const Plan plan = commit(row(long_bytes));
  UserBuffer sent(row(long_bytes), 1, 1);
  UserBuffer received(row(long_bytes), 1, 2);
  const transport::MessageBuffer from = side_of(sent.origin(), plan), to = side_of(received.origin(), plan);
  transport::RingWriter writer(rings().take(), from, state_->profile.ring);
  transport::RingKey offer = writer.offer(true);
  EXPECT_EQ(offer.data, reinterpret_cast<std::uintptr_t>(sent.origin()));
  offer.data = 8;
  const transport::Rts descriptor = announced(long_bytes, offer);
  if (!rings().may_read(descriptor.sender))
    GTEST_SKIP() << "needs processes that may read each other's memory";
  transport::RingReader reader(rings(), state_->profile.ring, to, descriptor, offer);
  writer.advance();
  EXPECT_EQ(writer.steps(), 0) << "written before it was known that it is read";
  while (!reader.advance()) writer.advance();
  EXPECT_EQ(gathered(received, row(long_bytes), 1), gathered(sent, row(long_bytes), 1));
  ASSERT_TRUE(writer.answer());
  EXPECT_EQ(writer.answer()->code, transport::Cts::Code::taken);
}

TEST_F(ThroughRings, MemoryThatMayNotBeReadIsSentByTheMpi) {
  state_->profile.ring.reads_memory = false;
  exchange(row(long_bytes), 1, row(long_bytes));
}

TEST_F(ThroughRings, BlockingCallsMoveWhateverIsOnEitherSide) {
  if (partner() == rank_) GTEST_SKIP() << "needs 2 ranks";
  for (const bool reads : {true, false}) {
    state_->profile.ring.reads_memory = reads;
    for (const std::int64_t bytes : {0, 8, 508, 509, 510, 4096, 40'000, 300'000}) {
      for (const auto& [sent, received] : {std::pair{row(bytes), row(bytes)},
                                           {row(bytes), spread(bytes)},
                                           {spread(bytes), row(bytes)},
                                           {spread(bytes), spread(bytes)}}) {
        converse(sent, received);
      }
    }
  }
}

TEST_F(ThroughRings, BlockingCallsTellOfTruncation) {
  if (partner() == rank_) GTEST_SKIP() << "needs 2 ranks";
  for (const std::int64_t bytes : {std::int64_t{600}, long_bytes}) {
    const Plan plan = commit(spread(bytes));
    UserBuffer mine(spread(bytes), 1, 1);
    UserBuffer target(spread(100), 1, 2);
    UserBuffer before(spread(100), 1, 2);
    if (rank_ % 2 == 0) {
      send(mine.origin(), 1, plan, partner(), tag, comm_, nullptr);
    } else {
      EXPECT_THROW(recv(target.origin(), 1, commit(spread(100)), partner(), tag, comm_, nullptr), MpiError);
      EXPECT_EQ(target.bytes(), before.bytes());
    }
  }
  converse(spread(long_bytes), spread(long_bytes));
}

TEST_F(ThroughRings, BlockingCallsLeaveRequestsInOrder) {
  if (partner() == rank_) GTEST_SKIP() << "needs 2 ranks";
  const Plan plan = commit(spread(5000));
  std::vector<UserBuffer> mine{UserBuffer(spread(5000), 1, 1), UserBuffer(spread(5000), 1, 2)};
  std::vector<UserBuffer> theirs(2, UserBuffer(spread(5000), 1, 3));
  if (rank_ % 2 == 0) {
    Request first = isend(mine[0].origin(), 1, plan, partner(), tag, comm_, nullptr);
    send(mine[1].origin(), 1, plan, partner(), tag, comm_, nullptr);
    first.wait();
  } else {
    Request first = irecv(theirs[0].origin(), 1, plan, partner(), tag, comm_, nullptr);
    recv(theirs[1].origin(), 1, plan, partner(), tag, comm_, nullptr);
    first.wait();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(gathered(theirs[i], spread(5000), 1), gathered(mine[i], spread(5000), 1)) << i;
    }
  }
}

TEST_F(ThroughRings, BlockingCallsOfOneThreadMakeNoOperations) {
  if (transport::sole() == nullptr || partner() == rank_)
    GTEST_SKIP() << "needs 2 ranks and a session of one thread";
  converse(spread(1000), spread(1000));  // the communicator is known from here on
  const std::uint64_t uses = rings().uses();
  const std::uint64_t steps = state_->progress.steps();
  converse(spread(100), spread(100));
  EXPECT_EQ(rings().uses(), uses);
  converse(spread(long_bytes), spread(long_bytes));
  EXPECT_EQ(rings().uses(), uses + 1);
  EXPECT_EQ(state_->progress.steps(), steps);
}

// Of an announced message that goes through the ring, and of one that blocking calls leave to operations.
TEST_F(ThroughRings, EachEndOfABlockingCallSaysOnceHowItGoes) {
  if (std::getenv("TYPEWARP_VERBOSE") == nullptr) GTEST_SKIP() << "TYPEWARP_VERBOSE is not set";
  if (partner() == rank_) GTEST_SKIP() << "needs 2 ranks";
  converse(spread(1000), spread(1000));  // the communicator is known from here on
  for (const char* const protocol : {"ring", "pipelined"}) {
    testing::internal::CaptureStderr();
    converse(spread(long_bytes), spread(long_bytes));
    const std::string said = testing::internal::GetCapturedStderr();
    for (const char* const call : {"send", "receive"}) {
      const std::string line = std::string("typewarp: ") + call + " of 300000 bytes, rank " +
                               std::to_string(partner()) + ", by " + protocol + ": ";
      EXPECT_NE(said.find(line), std::string::npos) << said;
    }
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
    state_->profile.ring.least_bytes = std::numeric_limits<std::int64_t>::max();
  }
}

// What the receiver copies by itself is progress of its sender.
TEST_F(ThroughRings, CopiesOfTheReceiverAreStepsOfTheSender) {
  constexpr std::int64_t bytes = 5 << 20;
  const Plan plan = commit(row(bytes));
  UserBuffer sent(row(bytes), 1, 1);
  UserBuffer received(row(bytes), 1, 2);
  const transport::MessageBuffer from = side_of(sent.origin(), plan), to = side_of(received.origin(), plan);
  transport::RingWriter writer(rings().take(), from, state_->profile.ring);
  const transport::RingKey offer = writer.offer(true);
  const transport::Rts descriptor = announced(bytes, offer);
  if (!rings().may_read(descriptor.sender))
    GTEST_SKIP() << "needs processes that may read each other's memory";
  transport::RingReader reader(rings(), state_->profile.ring, to, descriptor, offer);
  std::int64_t seen = 0;
  for (bool done = false; !done; seen = writer.steps()) {
    done = reader.advance();
    writer.advance();
    EXPECT_GT(writer.steps(), seen);
  }
  EXPECT_EQ(gathered(received, row(bytes), 1), gathered(sent, row(bytes), 1));
}

/// Messages of which a part has been read.
class InTheMiddle : public ThroughRings {
 protected:
  void SetUp() override {
    ThroughRings::SetUp();
    if (IsSkipped()) return;
    if (has_thread_) GTEST_SKIP() << "needs a session without a progress thread";
    state_->profile.ring.bytes_at_a_time = state_->profile.ring.longest_fragment =
        state_->profile.ring.least_fragment = 1000;
    receive_ = irecv(target_.origin(), 1, plan_, partner(), tag, comm_, nullptr);
    sending_ = isend(mine_.origin(), 1, plan_, partner(), tag, comm_, nullptr);
    MPI_Barrier(comm_);
    while (target_.bytes() == before_.bytes()) receive_.ready();
    MPI_Barrier(comm_);
  }

  const Plan plan_ = commit(spread(long_bytes));
  UserBuffer mine_{spread(long_bytes), 1, 1};
  UserBuffer target_{spread(long_bytes), 1, 2};
  UserBuffer before_{spread(long_bytes), 1, 2};
  Request receive_, sending_;
};

TEST_F(InTheMiddle, SenderGivesUp) {
  Waiting::give_up(sending_);
  EXPECT_THROW(Waiting::finish(sending_), TimeLimitExceeded);
  MPI_Barrier(comm_);
  EXPECT_THROW(receive_.wait(), Error);
  meet();
}

TEST_F(InTheMiddle, ReceiverGivesUp) {
  Waiting::give_up(receive_);
  EXPECT_THROW(Waiting::finish(receive_), TimeLimitExceeded);
  const auto seen = target_.bytes();
  EXPECT_EQ(sending_.wait().bytes, long_bytes);
  meet();
  EXPECT_EQ(target_.bytes(), seen) << "unpacked after it was given up";
}

// Who waits for a ring still moves on what the MPI has to do: here a barrier, which takes two rounds among
// four ranks.
TEST_F(InTheMiddle, OthersNeedNotWait) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm_, &barrier);
  const bool waits_first = rank_ == 1 || rank_ == 2;  // for the ranks two before them, which do not
  if (waits_first) MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  EXPECT_EQ(receive_.wait().bytes, long_bytes);
  EXPECT_EQ(sending_.wait().bytes, long_bytes);
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
}

}  // namespace
}  // namespace typewarp
