// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Who owns what for how long: requests that are moved, dropped, cancelled, and plans that go before their
// messages.

#include "support/user_buffer.hpp"
#include "transport/fixture.hpp"

#include <utility>
#include <vector>

namespace typewarp {
namespace {

using test::Session;
using test::UserBuffer;

constexpr int tag = 9;
const Datatype column = vector(1000, 1, 3, Named::int_);

class Requests : public Session {};

TEST_F(Requests, InactiveOnesAreCompleteAndEmpty) {
  Request request;
  EXPECT_FALSE(request.active());
  const Status status = request.wait();
  EXPECT_EQ(status.source, MPI_ANY_SOURCE);
  EXPECT_EQ(status.tag, MPI_ANY_TAG);
  EXPECT_EQ(status.bytes, 0);
  ASSERT_TRUE(request.test().has_value());
  EXPECT_EQ(request.test()->bytes, 0);
}

TEST_F(Requests, MoveWithTheirOperationAndOutliveTheirPlan) {
  UserBuffer sent(column, 1, 1);
  UserBuffer received(column, 1, 2);
  Request receive = irecv(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  Request moved = std::move(receive);
  EXPECT_FALSE(
      receive.active());  // NOLINT(bugprone-use-after-move): inactive is what a moved-from request is
  EXPECT_TRUE(moved.active());
  Request sending = isend(sent.origin(), 1, commit(column), partner(), tag, comm_, nullptr);
  EXPECT_EQ(moved.wait().bytes, column.size());
  EXPECT_EQ(gathered(received, column, 1), gathered(sent, column, 1));
  sending.wait();
  EXPECT_FALSE(sending.active());
}

// Of a message that is short enough to be eager everywhere.
TEST_F(Requests, StagedSendLeavesTheBufferFreeToChange) {
  const Datatype short_column = vector(100, 1, 3, Named::int_);
  const Plan plan = commit(short_column);
  UserBuffer sent(short_column, 1, 1);
  UserBuffer original(short_column, 1, 1);
  UserBuffer received(short_column, 1, 2);
  Request sending = isend(sent.origin(), 1, plan, partner(), tag, comm_, nullptr);
  sent = UserBuffer(short_column, 1, 77);
  recv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
  EXPECT_EQ(gathered(received, short_column, 1), gathered(original, short_column, 1));
  sending.wait();
}

TEST_F(Requests, DroppedUnmatchedReceiveTakesNoMessage) {
  const Plan plan = commit(Named::int_);
  int first = -1;
  { const Request dropped = irecv(&first, 1, plan, partner(), tag, comm_, nullptr); }
  MPI_Barrier(comm_);
  int second = -1;
  sendrecv(&rank_, 1, plan, partner(), tag, &second, 1, plan, partner(), tag, comm_, nullptr);
  EXPECT_EQ(first, -1);
  EXPECT_EQ(second, partner());
}

TEST_F(Requests, AssigningOverAnUnmatchedReceiveCancelsIt) {
  const Plan plan = commit(column);
  UserBuffer first(column, 1, 1);
  UserBuffer before(column, 1, 1);
  UserBuffer second(column, 1, 2);
  UserBuffer sent(column, 1, 3);
  Request request = irecv(first.origin(), 1, plan, partner(), tag, comm_, nullptr);
  request = Request();
  MPI_Barrier(comm_);
  request = irecv(second.origin(), 1, plan, partner(), tag, comm_, nullptr);
  Request sending = isend(sent.origin(), 1, plan, partner(), tag, comm_, nullptr);
  request.wait();
  sending.wait();
  EXPECT_EQ(first.bytes(), before.bytes());
  EXPECT_EQ(gathered(second, column, 1), gathered(sent, column, 1));
}

TEST_F(Requests, DroppedMatchedReceiveCompletes) {
  const Plan plan = commit(column);
  const Plan token = commit(Named::int_);
  UserBuffer sent(column, 1, 3);
  UserBuffer received(column, 1, 4);
  {
    const Request dropped = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
    Request sending = isend(sent.origin(), 1, plan, partner(), tag, comm_, nullptr);
    // Messages of one pair match in order: once the token is here, the message before it has been matched.
    int word = 0;
    sendrecv(&rank_, 1, token, partner(), tag, &word, 1, token, partner(), tag, comm_, nullptr);
    sending.wait();
  }
  EXPECT_EQ(gathered(received, column, 1), gathered(sent, column, 1));
}

TEST_F(Requests, DroppedSendsArrive) {
  const Plan plan = commit(column);
  UserBuffer received(column, 1, 4);
  UserBuffer expected(column, 1, static_cast<std::uint64_t>(partner()));
  Request receive = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
  {
    UserBuffer sent(column, 1, static_cast<std::uint64_t>(rank_));
    (void)isend(sent.origin(), 1, plan, partner(), tag, comm_, nullptr);
  }
  receive.wait();
  EXPECT_EQ(gathered(received, column, 1), gathered(expected, column, 1));
}

// They go when the program ends, after MPI_Finalize, when nobody may call the MPI any more: it would end the
// program with an error.
TEST_F(Requests, OutliveTheMpi) {
  static std::byte sent{1}, received{};
  static std::vector<Request> left;
  left.push_back(irecv(&received, 1, commit(Named::byte), rank_, tag, MPI_COMM_WORLD, nullptr));
  left.push_back(isend(&sent, 1, commit(Named::byte), rank_, tag, MPI_COMM_WORLD, nullptr));
  for (const Request& request : left) EXPECT_TRUE(request.active());
}

}  // namespace
}  // namespace typewarp
