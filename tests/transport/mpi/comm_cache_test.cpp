// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Which ranks of a user's communicator belong to a Session, and how long that is remembered.

#include "transport/mpi/comm_state.hpp"
#include "transport/protocol_fixture.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace typewarp::transport {
namespace {

using RanksTest = test::Session;

TEST_F(RanksTest, OfTheSameGroupAreAllMembersWithTheirRank) {
  CommCache ranks(comm_);
  const auto state = ranks.of(MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks_; ++rank) {
    EXPECT_TRUE(state->is_member(rank));
    EXPECT_EQ(state->private_rank(rank), rank);
  }
  EXPECT_FALSE(state->is_member(-1));
  EXPECT_FALSE(state->is_member(ranks_));
  EXPECT_TRUE(state->all_members(MPI_ANY_SOURCE));
  EXPECT_EQ(ranks.of(MPI_COMM_WORLD), state);
}

TEST_F(RanksTest, AreTranslated) {
  TYPEWARP_NEEDS_RANKS(2);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(comm_, 0, -rank_, &reversed);
  {
    CommCache ranks(comm_);
    const auto state = ranks.of(reversed);
    for (int rank = 0; rank < ranks_; ++rank) EXPECT_EQ(state->private_rank(rank), ranks_ - 1 - rank);
  }
  MPI_Comm_free(&reversed);
}

TEST_F(RanksTest, OutsideAreNoMembers) {
  TYPEWARP_NEEDS_RANKS(2);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm_, rank_ == 0 ? 0 : 1, rank_, &part);
  {
    CommCache ranks(part);
    const auto state = ranks.of(comm_);
    for (int rank = 0; rank < ranks_; ++rank) EXPECT_EQ(state->is_member(rank), (rank == 0) == (rank_ == 0));
    EXPECT_FALSE(state->all_members(MPI_ANY_SOURCE));
    EXPECT_TRUE(state->any_member(MPI_ANY_SOURCE));
    EXPECT_TRUE(ranks.of(part)->all_members(MPI_ANY_SOURCE));
  }
  MPI_Comm_free(&part);
}

TEST_F(RanksTest, OfIntercommunicatorsAreTheRemoteOnes) {
  TYPEWARP_NEEDS_RANKS(2);
  const int half = ranks_ / 2;
  const bool low = rank_ < half;
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(comm_, low ? 0 : 1, rank_, &local);
  ASSERT_EQ(MPI_Intercomm_create(local, 0, comm_, low ? half : 0, 1, &between), MPI_SUCCESS);
  {
    CommCache ranks(comm_);
    const auto state = ranks.of(between);
    EXPECT_EQ(state->private_rank(0), low ? half : 0);
    EXPECT_TRUE(state->is_member(low ? ranks_ - half - 1 : half - 1));
    EXPECT_FALSE(state->is_member(low ? ranks_ - half : half));
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&local);
}

TEST_F(RanksTest, AreForgottenWithTheirCommunicator) {
  CommCache ranks(comm_);
  for (int i = 0; i < 100; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &copy), MPI_SUCCESS);
    const std::weak_ptr<SessionComm> state = ranks.of(copy);
    EXPECT_EQ(ranks.known(), 1U);
    MPI_Comm_free(&copy);
    EXPECT_EQ(ranks.known(), 0U);
    EXPECT_TRUE(state.expired());
  }
}

// Of many, since memory that was just freed need not hold any more what it held.
TEST_F(RanksTest, AreNotTakenForTheLastOnesThatWereAskedFor) {
  CommCache ranks(comm_);
  std::array<MPI_Comm, 20> copies{};
  for (MPI_Comm& copy : copies) {
    ASSERT_EQ(MPI_Comm_dup(comm_, &copy), MPI_SUCCESS);
    EXPECT_EQ(ranks.of(copy), ranks.of(copy));
  }
  EXPECT_NE(ranks.known_last(copies.back()), nullptr);
  const std::array<MPI_Comm, 20> gone = copies;
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  for (MPI_Comm copy : gone) EXPECT_EQ(ranks.known_last(copy), nullptr);
}

// An MPI may hold a lock of its own while it deletes attributes, and asks for that to find one.
TEST_F(RanksTest, AreFoundWhileACommunicatorIsFreed) {
  TYPEWARP_NEEDS_THREADS();
  CommCache ranks(comm_);
  std::atomic<bool> done{false};
  std::atomic<int> found{0};
  std::thread finder([&] {
    while (!done) {
      // Of the one that was asked for last the MPI is not asked.
      if (ranks.of(MPI_COMM_WORLD)->is_member(0) && ranks.of(comm_)->is_member(0)) ++found;
      std::this_thread::yield();  // whoever frees needs the locks as well
    }
  });
  while (found == 0) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) {
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &copy), MPI_SUCCESS);
    EXPECT_TRUE(ranks.of(copy)->is_member(0));
    MPI_Comm_free(&copy);
  }
  done = true;
  finder.join();
  EXPECT_EQ(ranks.known(), 2U);
}

TEST_F(RanksTest, LeaveNothingWithCommunicatorsThatOutliveThem) {
  std::weak_ptr<SessionComm> state;
  {
    CommCache ranks(comm_);
    state = ranks.of(comm_);
    EXPECT_FALSE(state.expired());
  }
  EXPECT_TRUE(state.expired());
}

/// What is kept with a communicator in a slot, and says when it leaves.
template <CommSlot at>
class Told final : public CommState::Member {
 public:
  static constexpr CommSlot slot = at;
  explicit Told(std::vector<CommSlot>& told) : told_(told) {}
  void leave() override { told_.push_back(slot); }

 private:
  std::vector<CommSlot>& told_;
};
using First = Told<CommSlot::agreement>;
using Second = Told<CommSlot::in_turn>;

using CommStateTest = test::Session;

TEST_F(CommStateTest, LeavesWithItsCommunicatorInTheOrderOfSlots) {
  std::vector<CommSlot> told;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm copy_of_copy = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &copy), MPI_SUCCESS);
  EXPECT_EQ(CommState::find<First>(copy), nullptr);
  CommState::keep(copy, std::make_shared<Second>(told));
  const auto first = std::make_shared<First>(told);
  CommState::keep(copy, first);
  EXPECT_EQ(CommState::find<First>(copy), first);
  ASSERT_EQ(MPI_Comm_dup(copy, &copy_of_copy), MPI_SUCCESS);
  EXPECT_EQ(CommState::find<First>(copy_of_copy), nullptr);
  MPI_Comm_free(&copy_of_copy);
  EXPECT_TRUE(told.empty());
  MPI_Comm_free(&copy);
  EXPECT_EQ(told, (std::vector{CommSlot::agreement, CommSlot::in_turn}));
  EXPECT_EQ(first.use_count(), 1);
}

TEST_F(CommStateTest, MembersLeaveWhenAnotherTakesTheirPlace) {
  std::vector<CommSlot> told;
  CommState::keep(comm_, std::make_shared<First>(told));
  const auto other = std::make_shared<First>(told);
  CommState::keep(comm_, other);
  EXPECT_EQ(told.size(), 1U);
  int found = 0;
  CommState::for_each<First>([&](First& each) { found += &each == other.get() ? 1 : 0; });
  EXPECT_EQ(found, 1);
  CommState::drop(comm_);
  EXPECT_EQ(told.size(), 2U);
  EXPECT_EQ(CommState::find<First>(comm_), nullptr);
}

TEST_F(CommStateTest, WhatIsForgottenIsNotFoundAndLeavesAllTheSame) {
  std::vector<CommSlot> told;
  MPI_Comm copy = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &copy), MPI_SUCCESS);
  CommState::keep(copy, std::make_shared<First>(told));
  CommState::forget_all();
  EXPECT_EQ(CommState::find<First>(copy), nullptr);
  CommState::keep(copy, std::make_shared<Second>(told));
  MPI_Comm_free(&copy);
  std::ranges::sort(told);
  EXPECT_EQ(told, (std::vector{CommSlot::agreement, CommSlot::in_turn}));
}

}  // namespace
}  // namespace typewarp::transport
