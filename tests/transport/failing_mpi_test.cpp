// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls of the MPI that fail: the message ends at both ends, and nothing of it stays behind. Each rank sends
// to itself, so that both ends are here.

#include "support/user_buffer.hpp"
#include "transport/mpi_calls.hpp"
#include "transport/outcome.hpp"
#include "transport/protocol_fixture.hpp"

#include <typewarp/collective.hpp>

#include <vector>

namespace typewarp {
namespace {

using test::FailingMpi;
using test::Outcome;
using test::outcome;
using test::Posting;
using test::ProtocolTest;
using test::UserBuffer;

constexpr std::int64_t bytes = 5000;
constexpr int pieces = 5;  // of small_pieces

const Datatype row = contiguous(bytes, Named::byte);
const Datatype column = vector(bytes, 1, 2, Named::byte);

class FailingCalls : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    start(limited_pieces);
  }

  struct Ends {
    Outcome sender, receiver;
    bool happened;
    bool written;
  };

  /// A message of which the `nth` call to post fails, of those that come after isend() and irecv().
  Ends message(const Datatype& sent, const Datatype& received, Posting what, int nth) {
    UserBuffer source(sent, 1, 1);
    UserBuffer target(received, 1, 2);
    const UserBuffer before = target;
    const Plan from = commit(sent);
    const Plan to = commit(received);
    // Before the receive is there, nobody can clear the sender, so that no thread takes a step yet.
    Request sending = isend(source.origin(), 1, from, rank_, tag, comm_, nullptr);
    const int own_receive = what == Posting::receive ? 1 : 0;
    const FailingMpi failing(what, nth + own_receive);
    Request receive = irecv(target.origin(), 1, to, rank_, tag, comm_, nullptr);
    Ends ends{};
    ends.receiver = outcome<MpiError>([&] { receive.wait(); });
    ends.sender = outcome<MpiError>([&] { sending.wait(); });
    ends.happened = failing.happened();
    while (state_->progress.active() != 0) state_->progress.advance_some();
    ends.written = target.bytes() != UserBuffer(before).bytes();
    expect_nothing_is_held();
    return ends;
  }

  void expect_messages_go_on() {
    const Ends ends = message(column, column, Posting::send, 0);
    EXPECT_EQ(ends.sender, Outcome::fine);
    EXPECT_EQ(ends.receiver, Outcome::fine);
  }
};

TEST_F(FailingCalls, ReceiveOfAPieceFailsEndsTheReceiveOnly) {
  for (int nth = 1; nth <= pieces; ++nth) {
    const Ends ends = message(column, column, Posting::receive, nth);
    EXPECT_TRUE(ends.happened) << nth;
    EXPECT_EQ(ends.receiver, Outcome::failed) << nth;
    EXPECT_EQ(ends.sender, Outcome::fine) << nth;
    // The first pieces are posted before the sender is cleared, and it then is refused.
    if (nth < pieces) {
      EXPECT_FALSE(ends.written) << nth;
    }
    expect_messages_go_on();
  }
}

TEST_F(FailingCalls, ReceiveInPlaceFailsEndsTheReceiveOnly) {
  const Ends ends = message(row, row, Posting::receive, 1);
  EXPECT_TRUE(ends.happened);
  EXPECT_EQ(ends.receiver, Outcome::failed);
  EXPECT_EQ(ends.sender, Outcome::fine);
  expect_messages_go_on();
}

TEST_F(FailingCalls, AnswerFailsIsRefusedInstead) {
  const Ends ends = message(column, column, Posting::send, 1);
  EXPECT_TRUE(ends.happened);
  EXPECT_EQ(ends.receiver, Outcome::failed);
  EXPECT_EQ(ends.sender, Outcome::fine);
  EXPECT_FALSE(ends.written);
  expect_messages_go_on();
}

TEST_F(FailingCalls, SendOfAPieceFailsIsToldToTheReceiver) {
  for (int nth = 2; nth <= pieces + 1; ++nth) {  // after the answer
    const Ends ends = message(column, column, Posting::send, nth);
    EXPECT_TRUE(ends.happened) << nth;
    EXPECT_EQ(ends.sender, Outcome::failed) << nth;
    EXPECT_EQ(ends.receiver, Outcome::peer_failed) << nth;
    expect_messages_go_on();
  }
}

TEST_F(FailingCalls, ThatAnnounceOrPostThrowAtOnce) {
  UserBuffer buffer(column, 1, 1);
  const Plan plan = commit(column);
  const auto send = [&] { static_cast<void>(isend(buffer.origin(), 1, plan, rank_, tag, comm_, nullptr)); };
  const auto receive = [&] {
    static_cast<void>(irecv(buffer.origin(), 1, plan, rank_, tag, comm_, nullptr));
  };
  {
    const FailingMpi descriptor(Posting::send, 1);
    EXPECT_THROW(send(), MpiError);
    expect_nothing_is_held();
  }
  {
    const FailingMpi answer(Posting::receive, 1);
    EXPECT_THROW(send(), MpiError);
    expect_nothing_is_held();
  }
  {
    const FailingMpi post(Posting::receive, 1);
    EXPECT_THROW(receive(), MpiError);
    expect_nothing_is_held();
  }
  expect_messages_go_on();
}

// Whether the message that could not be received is announced or not: its sender ends, and the next exchange
// gets its own.
TEST_F(FailingCalls, ReceiveOfAnExchangeFailsEndsNobodyElses) {
  for (const std::int64_t length : {std::int64_t{400}, bytes}) {
    SCOPED_TRACE(length);
    const Plan plan = commit(vector(length, 1, 2, Named::byte));
    const auto exchange = [&](char round) {
      const auto ranks = static_cast<std::size_t>(ranks_);
      std::vector<std::vector<char>> sent(ranks, std::vector<char>(2 * bytes, round)), received(sent.size());
      std::vector<SendPart> sends;
      std::vector<RecvPart> receives;
      for (std::size_t r = 0; r < ranks; ++r) {
        received[r].assign(2 * bytes, 0);
        sends.push_back({sent[r].data(), 1, plan});
        receives.push_back({received[r].data(), 1, plan});
      }
      alltoallw(sends, receives, comm_, nullptr);
      for (const std::vector<char>& one : received) {
        EXPECT_EQ(one[0], round);
        EXPECT_EQ(one[2 * static_cast<std::size_t>(length) - 2], round);
      }
    };
    exchange(1);
    MPI_Barrier(comm_);
    if (rank_ == 0) {
      const FailingMpi post(Posting::receive, ranks_);  // from the last rank
      EXPECT_THROW(exchange(2), MpiError);
      EXPECT_TRUE(post.happened());
    } else {
      exchange(2);
    }
    expect_nothing_is_held();
    exchange(3);
  }
}

// One look at each request and a few of the others, however many there are.
TEST_F(FailingCalls, TestOfManyAsksTheMpiOnceForEach) {
  constexpr std::size_t many = 200;
  std::vector<std::byte> received(many);
  std::vector<Request> receives;
  for (std::byte& one : received) {
    receives.push_back(irecv(&one, 1, commit(Named::byte), rank_, tag, comm_, nullptr));
  }
  if (state_->options.progress_thread) GTEST_SKIP() << "needs a session without a progress thread";
  const std::int64_t before = test::mpi_tests();
  EXPECT_FALSE(test_any(receives));
  EXPECT_LE(test::mpi_tests() - before, static_cast<std::int64_t>(many) + 20);
}

}  // namespace
}  // namespace typewarp
