// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collective/collective_context.hpp"

#include "transport/session.hpp"
#include "transport/fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <vector>

namespace typewarp::transport {
namespace {

using Channels = test::Session;

constexpr int often_enough_for_what_is_freed_to_be_used_again = 200;

TEST_F(Channels, AreKeptWithTheirCommunicator) {
  const std::shared_ptr<CollectiveContext> first = CollectiveContext::of(comm_);
  EXPECT_EQ(CollectiveContext::of(comm_), first);
  MPI_Comm other = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &other), MPI_SUCCESS);
  EXPECT_NE(CollectiveContext::of(other), first);
  MPI_Comm_free(&other);
}

/// What the rank that `edge` leads to receives with.
int tag_of_receiver(const CollectiveContext& channel, const Neighbours::Edge& edge, MPI_Comm comm) {
  const int own = channel.source(edge).tag;
  int theirs = -1;
  MPI_Sendrecv(&own, 1, MPI_INT, edge.rank, 0, &theirs, 1, MPI_INT, edge.rank, 0, comm, MPI_STATUS_IGNORE);
  return theirs;
}

TEST_F(Channels, LeadToTheReceiversTag) {
  const std::shared_ptr<CollectiveContext> channel = CollectiveContext::of(comm_);
  ASSERT_TRUE(channel->made(true));
  const Neighbours::Edge edge{partner(), 0};
  EXPECT_EQ(channel->destination(edge).tag, tag_of_receiver(*channel, edge, comm_));
  EXPECT_EQ(channel->destination(edge).comm, channel->source(edge).comm);
}

// A duplicate in the making would be in the way of other collective calls.
TEST_F(Channels, AreOnThePrivateCommunicatorOfATransport) {
  const std::shared_ptr<CollectiveContext> channel = CollectiveContext::of(comm_);
  ASSERT_TRUE(channel->made(true));
  const MPI_Comm seen = channel->source({partner(), 0}).comm;
  if (const std::shared_ptr<transport::SessionState> session = current()) {
    EXPECT_EQ(seen, session->comm.get());
    return;
  }
  int relation = MPI_UNEQUAL;
  ASSERT_EQ(MPI_Comm_compare(seen, comm_, &relation), MPI_SUCCESS);
  EXPECT_EQ(relation, MPI_CONGRUENT);
}

TEST_F(Channels, LeadNowhereWhereThereIsNobody) {
  const std::shared_ptr<CollectiveContext> channel = CollectiveContext::of(comm_);
  ASSERT_TRUE(channel->made(true));
  EXPECT_EQ(channel->source({MPI_PROC_NULL, 0}).rank, MPI_PROC_NULL);
  EXPECT_EQ(channel->destination({MPI_PROC_NULL, 0}).rank, MPI_PROC_NULL);
}

TEST_F(Channels, LiveAsLongAsSomebodyUsesThem) {
  for (int time = 0; time < often_enough_for_what_is_freed_to_be_used_again; ++time) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
    const std::shared_ptr<CollectiveContext> channel = CollectiveContext::of(comm);
    MPI_Comm_free(&comm);
    ASSERT_TRUE(channel->made(true));
    const Neighbours::Edge edge{partner(), 0};
    ASSERT_EQ(channel->destination(edge).tag, tag_of_receiver(*channel, edge, comm_));
  }
}

// With MPICH they go when others are made.
TEST_F(Channels, MayBeLeftInTheMaking) {
  std::vector<std::weak_ptr<CollectiveContext>> left;
  const auto make = [&] {
    MPI_Comm comm = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
    std::weak_ptr<CollectiveContext> channel = CollectiveContext::of(comm);
    MPI_Comm_free(&comm);
    return channel;
  };
  for (int time = 0; time < often_enough_for_what_is_freed_to_be_used_again; ++time) left.push_back(make());
  int some = 1;
  for (int time = 0; time < 1'000 && some != 0; ++time) {
    make();
    some = std::ranges::all_of(left, &std::weak_ptr<CollectiveContext>::expired) ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, comm_);
  }
  EXPECT_EQ(some, 0);
}

TEST_F(Channels, HaveTagsOfTheirOwn) {
  const std::shared_ptr<CollectiveContext> common = CollectiveContext::of(comm_);
  const std::shared_ptr<CollectiveContext> one = CollectiveContext::apart(comm_);
  const std::shared_ptr<CollectiveContext> other = CollectiveContext::apart(comm_);
  std::set<int> tags;
  for (const auto& channel : {common, one, other}) {
    ASSERT_TRUE(channel->made(true));
    tags.insert(channel->source({partner(), 0}).tag);
  }
  EXPECT_EQ(tags.size(), 3U);
}

TEST_F(Channels, GiveTheirTagsBack) {
  const std::shared_ptr<transport::SessionState> session = current();
  if (!session) GTEST_SKIP() << "needs a session";
  CollectiveContext::of(comm_)->made(true);
  const std::size_t before = session->comm.tags.taken();
  CollectiveContext::apart(comm_)->made(true);
  EXPECT_EQ(session->comm.tags.taken(), before);
}

// What nobody asks for stays pending, of which MPICH tells in MPI_Finalize.
TEST_F(Channels, ApartMakeNoneThatIsKept) {
  if (!current()) GTEST_SKIP() << "needs a session";
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
  EXPECT_TRUE(CollectiveContext::apart(comm)->made(true));
  EXPECT_EQ(CollectiveContext::tags_kept_with(comm), 0U);
  MPI_Comm_free(&comm);
}

TEST_F(Channels, GiveTurnsInOrder) {
  const std::shared_ptr<CollectiveContext> channel = CollectiveContext::apart(comm_);
  const std::uint64_t first = channel->take_turn();
  const std::uint64_t second = channel->take_turn();
  EXPECT_TRUE(channel->is_turn(first));
  EXPECT_FALSE(channel->is_turn(second));
  channel->end_turn();
  EXPECT_TRUE(channel->is_turn(second));
  EXPECT_TRUE(channel->made(true));
}

TEST_F(Channels, OfWhichMessagesWereGivenUpAreOfNoUse) {
  const std::shared_ptr<CollectiveContext> channel = CollectiveContext::apart(comm_);
  ASSERT_TRUE(channel->made(true));
  channel->spoil();
  EXPECT_THROW(channel->made(false), Error);
}

}  // namespace
}  // namespace typewarp::transport
