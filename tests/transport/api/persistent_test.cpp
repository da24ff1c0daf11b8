// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Requests that are made once and started many times.

#include "support/expect_invalid.hpp"
#include "support/user_buffer.hpp"
#include "transport/fixture.hpp"

#include <array>
#include <utility>

namespace typewarp {
namespace {

using test::invalid_argument;
using test::Session;
using test::UserBuffer;

constexpr int tag = 12;
const Datatype column = vector(1000, 1, 3, Named::int_);

class PersistentRequests : public Session {};

TEST_F(PersistentRequests, CarryWhatTheBufferHoldsAtEachStart) {
  const Plan plan = commit(column);
  UserBuffer sent(column, 1, 1);
  UserBuffer received(column, 1, 2);
  std::array requests{send_init(sent.origin(), 1, plan, partner(), tag, comm_, nullptr),
                      recv_init(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr)};
  for (int round = 0; round < 5; ++round) {
    const auto seed = [&](int rank) { return static_cast<std::uint64_t>(100 + 10 * round + rank); };
    UserBuffer now(column, 1, seed(rank_));
    UserBuffer theirs(column, 1, seed(partner()));
    scatter(gathered(now, column, 1), sent, column, 1);
    start_all(requests);
    EXPECT_TRUE(requests[0].active());
    EXPECT_TRUE(requests[1].active());
    const std::vector<Status> statuses = wait_all(requests);
    EXPECT_EQ(statuses[1].source, partner());
    EXPECT_EQ(statuses[1].tag, tag);
    EXPECT_EQ(statuses[1].bytes, column.size());
    EXPECT_FALSE(requests[0].active());
    EXPECT_TRUE(requests[0].persistent());
    EXPECT_EQ(gathered(received, column, 1), gathered(theirs, column, 1)) << round;
  }
}

TEST_F(PersistentRequests, AreInactiveAndEmptyUntilStarted) {
  int word = 0;
  Request request = recv_init(&word, 1, commit(Named::int_), partner(), tag, comm_, nullptr);
  EXPECT_FALSE(request.active());
  EXPECT_TRUE(request.persistent());
  EXPECT_EQ(request.wait().bytes, 0);
  ASSERT_TRUE(request.test().has_value());
  EXPECT_TRUE(request.persistent());
  int there = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, MPI_STATUS_IGNORE);
  EXPECT_EQ(there, 0);
}

TEST_F(PersistentRequests, SynchronousOnesWaitForTheirReceive) {
  const Plan plan = commit(Named::int_);
  int word = -1;
  Request sending = ssend_init(&rank_, 1, plan, partner(), tag, comm_, nullptr);
  for (int round = 0; round < 2; ++round) {
    sending.start();
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(sending.test().has_value());
    MPI_Barrier(comm_);
    recv(&word, 1, plan, partner(), tag, comm_, nullptr);
    EXPECT_EQ(word, partner());
    sending.wait();
  }
}

TEST_F(PersistentRequests, MoveWithWhatTheyStart) {
  int word = -1;
  const Plan plan = commit(Named::int_);
  Request made = recv_init(&word, 1, plan, partner(), tag, comm_, nullptr);
  Request receive;
  receive = std::move(made);
  EXPECT_FALSE(made.persistent());  // NOLINT(bugprone-use-after-move): what a moved-from request is
  receive.start();
  Request moved(std::move(receive));
  send(&rank_, 1, plan, partner(), tag, comm_, nullptr);
  EXPECT_EQ(moved.wait().bytes, 4);
  EXPECT_EQ(word, partner());
  EXPECT_TRUE(moved.persistent());
}

TEST_F(PersistentRequests, StartOnlyWhenInactive) {
  int word = -1;
  const Plan plan = commit(Named::int_);
  Request ordinary;
  EXPECT_EQ(invalid_argument([&] { ordinary.start(); }), "request");
  std::array requests{recv_init(&word, 1, plan, partner(), tag, comm_, nullptr),
                      recv_init(&word, 1, plan, partner(), tag, comm_, nullptr)};
  requests[1].start();
  EXPECT_EQ(invalid_argument([&] { requests[1].start(); }), "request");
  EXPECT_EQ(invalid_argument([&] { start_all(requests); }), "requests[1]");
  EXPECT_FALSE(requests[0].active());
  requests[1].cancel();
  EXPECT_TRUE(requests[1].wait().cancelled);
}

TEST_F(PersistentRequests, StartAgainAfterACancelAndAfterAnError) {
  TYPEWARP_NEEDS_SAFE_TRUNCATION();
  const Plan plan = commit(Named::int_);
  std::array<int, 2> words{-1, -1};
  Request receive = recv_init(words.data(), 1, plan, partner(), tag, comm_, nullptr);
  receive.start();
  receive.cancel();
  EXPECT_TRUE(receive.wait().cancelled);
  MPI_Barrier(comm_);
  const std::array<int, 2> longer{1, 2};
  receive.start();
  Request sending = isend(longer.data(), 2, plan, partner(), tag, comm_, nullptr);
  EXPECT_THROW(receive.wait(), MpiError);
  sending.wait();
  EXPECT_FALSE(receive.active());
  receive.start();
  send(&rank_, 1, plan, partner(), tag, comm_, nullptr);
  EXPECT_FALSE(receive.wait().cancelled);
  EXPECT_EQ(words[0], partner());
}

TEST_F(PersistentRequests, NameWhatIsWrongWhenMade) {
  const Plan plan = commit(Named::int_);
  EXPECT_EQ(invalid_argument([&] { (void)send_init(&rank_, -1, plan, 0, tag, comm_, nullptr); }), "count");
  EXPECT_EQ(invalid_argument([&] { (void)ssend_init(nullptr, 1, plan, 0, tag, comm_, nullptr); }), "buffer");
  EXPECT_EQ(invalid_argument([&] { (void)recv_init(&rank_, 1, plan, 0, tag, MPI_COMM_NULL, nullptr); }),
            "comm");
  Request request = send_init(&rank_, 1, plan, ranks_, tag, comm_, nullptr);
  EXPECT_THROW(request.start(), MpiError);
  EXPECT_FALSE(request.active());
}

}  // namespace
}  // namespace typewarp
