// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collective/dup_comm.hpp"

#include "transport/fixture.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace typewarp::transport {
namespace {

using Channels = test::Transport;

constexpr int often_enough_for_what_is_freed_to_be_used_again = 200;

TEST_F(Channels, AreKeptWithTheirCommunicator) {
  const std::shared_ptr<DupComm> first = DupComm::of(comm_);
  EXPECT_EQ(DupComm::of(comm_), first);
  MPI_Comm other = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &other), MPI_SUCCESS);
  EXPECT_NE(DupComm::of(other), first);
  MPI_Comm_free(&other);
}

TEST_F(Channels, AreDuplicatesOnceMade) {
  const std::shared_ptr<DupComm> channel = DupComm::of(comm_);
  MPI_Comm seen = MPI_COMM_NULL;
  while (seen == MPI_COMM_NULL) seen = channel->communicator(false);
  EXPECT_EQ(channel->communicator(true), seen);
  int relation = MPI_UNEQUAL;
  ASSERT_EQ(MPI_Comm_compare(seen, comm_, &relation), MPI_SUCCESS);
  EXPECT_EQ(relation, MPI_CONGRUENT);
}

TEST_F(Channels, LiveAsLongAsSomebodyUsesThem) {
  for (int time = 0; time < often_enough_for_what_is_freed_to_be_used_again; ++time) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
    const std::shared_ptr<DupComm> channel = DupComm::of(comm);
    MPI_Comm_free(&comm);
    int ranks = 0;
    ASSERT_EQ(MPI_Comm_size(channel->communicator(true), &ranks), MPI_SUCCESS);
    EXPECT_EQ(ranks, ranks_);
  }
}

// With MPICH they go when others are made.
TEST_F(Channels, MayBeLeftInTheMaking) {
  std::vector<std::weak_ptr<DupComm>> left;
  const auto make = [&] {
    MPI_Comm comm = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
    std::weak_ptr<DupComm> channel = DupComm::of(comm);
    MPI_Comm_free(&comm);
    return channel;
  };
  for (int time = 0; time < often_enough_for_what_is_freed_to_be_used_again; ++time) left.push_back(make());
  int some = 1;
  for (int time = 0; time < 1'000 && some != 0; ++time) {
    make();
    some = std::ranges::all_of(left, &std::weak_ptr<DupComm>::expired) ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, comm_);
  }
  EXPECT_EQ(some, 0);
}

TEST_F(Channels, GiveTagsOfTheirOwnToEach) {
  const std::shared_ptr<DupComm> channel = DupComm::of(comm_);
  const int first = channel->passing_tags(6);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(channel->passing_tags(1), 6);
  EXPECT_EQ(channel->passing_tags(2), 7);
  const int lasting = channel->lasting_tags(4);
  EXPECT_EQ(channel->lasting_tags(1), lasting + 4);
  EXPECT_GT(lasting, 10000);
}

// The order is the same on all ranks, so what comes late enough may have the tags of what is over.
TEST_F(Channels, TakeTagsAnewBeforeThoseOfPersistentExchanges) {
  const std::shared_ptr<DupComm> channel = DupComm::of(comm_);
  const int lasting = channel->lasting_tags(1);
  EXPECT_EQ(channel->passing_tags(lasting - 1), 0);
  EXPECT_EQ(channel->passing_tags(2), 0);
  EXPECT_EQ(channel->passing_tags(1), 2);
}

}  // namespace
}  // namespace typewarp::transport
