// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls of the MPI that fail: the message ends at both ends, and nothing of it stays behind. Each rank sends
// to itself, so that both ends are here.

#include "support/user_buffer.hpp"
#include "transport/mpi/mpi_calls.hpp"
#include "transport/outcome.hpp"
#include "transport/protocol_fixture.hpp"

#include <typewarp/collective.hpp>

#include <chrono>
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
constexpr int fragments = 5;  // of small_fragments

const Datatype row = contiguous(bytes, Named::byte);
const Datatype column = vector(bytes, 1, 2, Named::byte);

class FailingCalls : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    start(limited_fragments);
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

  /// Of messages of so many bytes, which are like no other round's.
  void exchange(std::int64_t length, char round) const {
    const Plan plan = commit(vector(length, 1, 2, Named::byte));
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
  }

  void expect_messages_go_on() {
    const Ends ends = message(column, column, Posting::send, 0);
    EXPECT_EQ(ends.sender, Outcome::fine);
    EXPECT_EQ(ends.receiver, Outcome::fine);
  }
};

TEST_F(FailingCalls, ReceiveOfAFragmentFailsEndsTheReceiveOnly) {
  for (int nth = 1; nth <= fragments; ++nth) {
    const Ends ends = message(column, column, Posting::receive, nth);
    EXPECT_TRUE(ends.happened) << nth;
    EXPECT_EQ(ends.receiver, Outcome::failed) << nth;
    EXPECT_EQ(ends.sender, Outcome::fine) << nth;
    // The first fragments are posted before the sender is cleared, and it then is refused.
    if (nth < fragments) {
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

TEST_F(FailingCalls, SendOfAFragmentFailsIsToldToTheReceiver) {
  for (int nth = 2; nth <= fragments + 1; ++nth) {  // after the answer
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
    exchange(length, 1);
    MPI_Barrier(comm_);
    if (rank_ == 0) {
      const FailingMpi post(Posting::receive, ranks_);  // from the last rank
      EXPECT_THROW(exchange(length, 2), MpiError);
      EXPECT_TRUE(post.happened());
    } else {
      exchange(length, 2);
    }
    expect_nothing_is_held();
    exchange(length, 3);
  }
}

// Who can still be told does not wait for what could not be sent.
TEST_F(FailingCalls, SendsOfAnExchangeFailIsToldToAllWhoCanBeTold) {
  TYPEWARP_NEEDS_RANKS(3);
  stop();
  SessionOptions options = limited_fragments;
  options.time_limit = std::chrono::seconds(1);
  start(options);
  if (state_->options.progress_thread) GTEST_SKIP() << "needs a session without a progress thread";
  exchange(bytes, 1);
  meet();
  if (rank_ == 0) {
    const FailingMpi post(Posting::send, 2, 2);  // of the message to rank 1, and of what would announce that
    EXPECT_THROW(exchange(bytes, 2), MpiError);
    EXPECT_TRUE(post.happened());
  } else {
    const Outcome ended = outcome<TimeLimitExceeded>([&] { exchange(bytes, 2); });
    EXPECT_EQ(ended, rank_ == 1 ? Outcome::failed : Outcome::peer_failed);
  }
  settle();
}

TEST_F(FailingCalls, StartingAllLeavesActiveWhatIsStarted) {
  std::vector<char> sent(4, 1), received(4);
  const Plan one = commit(Named::byte);
  std::vector<Request> requests;
  for (int i = 0; i < 4; ++i) {
    char* const from = sent.data() + i;
    char* const to = received.data() + i;
    requests.push_back(i == 1 ? recv_init(to, 1, one, rank_, tag, comm_, nullptr)
                              : send_init(from, 1, one, rank_, tag, comm_, nullptr));
  }
  const auto active = [&] {
    std::vector<bool> each;
    for (const Request& request : requests) each.push_back(request.active());
    return each;
  };
  {
    const FailingMpi post(Posting::send, 2);
    EXPECT_THROW(start_all(requests), MpiError);
    EXPECT_TRUE(post.happened());
  }
  EXPECT_EQ(active(), (std::vector{true, true, false, false}));
  wait_all(requests);
  EXPECT_EQ(received[1], 1);
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
