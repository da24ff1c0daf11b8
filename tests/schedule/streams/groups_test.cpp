// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/gathering.hpp"
#include "schedule/streams/over_mpi/mpi_group.hpp"
#include "schedule/streams/parts.hpp"
#include "support/expect_invalid.hpp"
#include "transport/fixture.hpp"

#include <typewarp/exchange.hpp>

#include <array>
#include <cstring>
#include <string_view>

namespace typewarp {
namespace {

using exchange::ExchangeGroup;
using exchange::Packet;
using exchange::Packets;

TEST(PacketTest, GivesWhatWasPutInOrder) {
  Packet packet;
  packet.put(7);
  packet.put(2.5);
  packet.put_bytes(std::as_bytes(std::span(std::string_view("abc"))));
  EXPECT_EQ(packet.take<int>(), 7);
  EXPECT_EQ(packet.take<double>(), 2.5);
  EXPECT_EQ(packet.take_bytes(2).size(), 2U);
  EXPECT_THROW(packet.take<int>(), Error);
}

/// Of an MPI, and of a function that gathers.
class Groups : public test::Session, public testing::WithParamInterface<bool> {
 protected:
  std::unique_ptr<ExchangeGroup> group() const {
    if (GetParam()) return test::gathering(comm_).group();
    return std::make_unique<exchange::MpiGroup>(comm_);
  }
};

TEST_P(Groups, KnowTheirRanks) {
  const auto group = this->group();
  EXPECT_EQ(group->rank(), rank_);
  EXPECT_EQ(group->size(), ranks_);
  EXPECT_EQ(group->host(), 0);
  EXPECT_TRUE(group->is_nobody(GetParam() ? -1 : MPI_PROC_NULL));
  EXPECT_FALSE(group->is_nobody(rank_));
  const auto other = group->another();
  EXPECT_EQ(other->rank(), rank_);
}

TEST_P(Groups, GatherInTheOrderOfRanks) {
  const auto group = this->group();
  const std::array<int, 2> own{rank_, -rank_};
  const std::vector<std::byte> all = group->gather(std::as_bytes(std::span(own)));
  ASSERT_EQ(all.size(), sizeof own * static_cast<std::size_t>(ranks_));
  for (int rank = 0; rank < ranks_; ++rank) {
    std::array<int, 2> told;
    std::memcpy(told.data(), all.data() + static_cast<std::size_t>(rank) * sizeof told, sizeof told);
    EXPECT_EQ(told, (std::array<int, 2>{rank, -rank}));
  }
}

TEST_P(Groups, TransposeNumbers) {
  const auto group = this->group();
  std::vector<int> numbers;
  for (int rank = 0; rank < ranks_; ++rank) numbers.push_back(100 * rank_ + rank);
  const std::vector<int> own = group->transpose(numbers);
  ASSERT_EQ(own.size(), numbers.size());
  for (int rank = 0; rank < ranks_; ++rank)
    EXPECT_EQ(own[static_cast<std::size_t>(rank)], 100 * rank + rank_);
}

/// Each to those above itself, of as many bytes as it is.
TEST_P(Groups, SwapPackets) {
  const auto group = this->group();
  for (int round = 0; round < 3; ++round) {
    Packets packets;
    std::set<int> below;
    for (int rank = rank_; rank < ranks_; ++rank) {
      packets[rank].put(10 * rank_ + rank + round);
      packets[rank].put_bytes(std::vector<std::byte>(static_cast<std::size_t>(rank_)));
    }
    for (int rank = 0; rank <= rank_; ++rank) below.insert(rank);
    Packets received = group->swap(packets, below);
    ASSERT_EQ(received.size(), below.size());
    for (int rank = 0; rank <= rank_; ++rank) {
      EXPECT_EQ(received.at(rank).bytes().size(), sizeof(int) + static_cast<std::size_t>(rank));
      EXPECT_EQ(received.at(rank).take<int>(), 10 * rank + rank_ + round);
    }
  }
}

TEST_P(Groups, TellTheFirstProblem) {
  const auto group = this->group();
  EXPECT_EQ(group->first_problem(""), std::nullopt);
  const int last = ranks_ - 1;
  EXPECT_EQ(group->first_problem(rank_ == last ? "wrong" : ""), "rank " + std::to_string(last) + ": wrong");
  EXPECT_EQ(group->first_problem("all wrong"), "rank 0: all wrong");
}

TEST_P(Groups, Meet) {
  const auto group = this->group();
  while (!group->met()) {}
}

INSTANTIATE_TEST_SUITE_P(Kinds, Groups, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Gathered" : "Mpi"; });

class GatheredRanks : public test::Session {};

// One whose exchange has failed. What it gathers next would be taken for its coming.
TEST_F(GatheredRanks, MeetWhoeverAbandons) {
  const auto group = test::gathering(comm_).group();
  if (rank_ == 0) {
    group->abandon();
    group->abandon();
  } else {
    while (!group->met()) {}
    group->abandon();
  }
  const auto gather = [&] { return group->gather(std::as_bytes(std::span(&rank_, 1))); };
  std::vector<std::byte> all;
  try {
    all = gather();
  } catch (const Error&) {  // what others gathered to meet
    gather();
  }
  EXPECT_EQ(all.size(), sizeof rank_ * static_cast<std::size_t>(ranks_));
}

TEST_F(GatheredRanks, MakeAnExchangeOfNoParts) {
  Exchange exchange(test::gathering(comm_), {}, {});
  for (int start = 0; start < 3; ++start) exchange.start();
  EXPECT_TRUE(exchange.done());
}

TEST_F(GatheredRanks, RefusePartsThatNothingCarries) {
  std::array<double, 4> memory{};
  const Plan plan = commit(Named::double_);
  const OutgoingPart out{memory.data(), 1, plan, partner()};
  const IncomingPart in{memory.data() + 2, 1, plan, partner()};
  std::string told;
  try {
    const Exchange exchange(test::gathering(comm_), std::span(&out, 1), std::span(&in, 1));
  } catch (const Error& error) {
    told = error.what();
  }
  EXPECT_NE(told.find("sends[0] to rank"), std::string::npos) << told;
  EXPECT_NE(told.find("without an MPI"), std::string::npos) << told;
}

// What a peer chooses is one byte for each part, behind 20 of the group's own.
TEST_F(GatheredRanks, RefuseAPeerThatStoresWhereItCannot) {
  TYPEWARP_NEEDS_RANKS(2);
  constexpr std::size_t choice_bytes = 21;
  int chosen = 0;
  const Ranks::AllGather lying = [&, gather = test::all_gather(comm_)](std::span<const std::byte> own) {
    auto all = gather(own);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (rank == static_cast<std::size_t>(rank_) || all[rank].size() != choice_bytes) continue;
      all[rank].back() = static_cast<std::byte>(exchange::NotDirectReason::none);
      ++chosen;
    }
    return all;
  };
  std::array<double, 2> memory{};
  const Plan plan = commit(Named::double_);
  const OutgoingPart out{&memory[0], 1, plan, partner()};
  const IncomingPart in{&memory[1], 1, plan, partner()};
  std::string told;
  try {
    const Exchange exchange(Ranks(rank_, ranks_, lying), std::span(&out, 1), std::span(&in, 1));
  } catch (const Error& error) {
    told = error.what();
  }
  EXPECT_EQ(chosen, ranks_ - 1);
  EXPECT_NE(told.find("was told that it cannot"), std::string::npos) << told;
}

TEST_F(GatheredRanks, LeaveOutNobody) {
  double value = 1;
  const OutgoingPart out{&value, 1, commit(Named::double_), -1};
  Exchange exchange(test::gathering(comm_), std::span(&out, 1), {});
  exchange.start();
  exchange.wait();
}

TEST_F(GatheredRanks, NameAWrongArgument) {
  const Ranks::AllGather own = [](std::span<const std::byte> bytes) {
    return std::vector<std::vector<std::byte>>{{bytes.begin(), bytes.end()}};
  };
  EXPECT_EQ(test::invalid_argument([&] { Ranks(0, 0, own); }), "size");
  EXPECT_EQ(test::invalid_argument([&] { Ranks(2, 2, own); }), "rank");
  EXPECT_EQ(test::invalid_argument([&] { Ranks(0, 1, {}); }), "all_gather");
  EXPECT_THROW(Exchange(Ranks(0, 2, own), {}, {}), Error) << "it returns one value for two ranks";
  const Ranks::AllGather others = [](std::span<const std::byte>) {
    return std::vector<std::vector<std::byte>>(1, std::vector<std::byte>(3));
  };
  EXPECT_THROW(Exchange(Ranks(0, 1, others), {}, {}), Error) << "it returns what nobody gave";
}

}  // namespace
}  // namespace typewarp
