// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges of each rank with each, and of neighbours.

#include "support/expect_invalid.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"
#include "transport/session.hpp"
#include "transport/collective/exchange.hpp"
#include "transport/fixture.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace typewarp {
namespace {

using test::invalid_argument;
using test::Session;
using test::UserBuffer;

class Exchanges : public Session {
 protected:
  /// An exchange of one int for each of `out` and `in`; what is sent tells sender and number of the part.
  std::vector<int> exchange_ints(MPI_Comm comm, std::size_t out, std::size_t in) {
    const Plan plan = commit(Named::int_);
    std::vector<int> sent(out), received(in, -1);
    std::vector<SendPart> sends;
    std::vector<RecvPart> receives;
    for (std::size_t i = 0; i < out; ++i) {
      sent[i] = 100 * rank_ + static_cast<int>(i);
      sends.push_back({&sent[i], 1, plan});
    }
    for (int& word : received) receives.push_back({&word, 1, plan});
    neighbor_alltoallw(sends, receives, comm, nullptr);
    return received;
  }
};

/// What one rank sends and receives in an exchange of random types with each, some of them long.
class Traffic {
 public:
  Traffic(int rank, int ranks, std::uint64_t seed) {
    for (int other = 0; other < ranks; ++other) {
      const Datatype out = type(seed, rank, other);
      sent_.emplace_back(out, 1, seed_of(seed, rank, other));
      plans_.push_back(commit(out));
      const Datatype in = type(seed, other, rank);
      const Datatype room = test::scattered_like(in, 1, seed);
      received_.emplace_back(room, 1, seed);
      expected_.emplace_back(room, 1, seed);
      rooms_.push_back(commit(room));
      UserBuffer theirs(in, 1, seed_of(seed, other, rank));
      scatter(gathered(theirs, in, 1), expected_.back(), room, 1);
    }
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      sends.push_back({sent_[i].origin(), 1, plans_[i]});
      receives.push_back({received_[i].origin(), 1, rooms_[i]});
    }
  }

  void expect_arrived() {
    for (std::size_t i = 0; i < received_.size(); ++i) {
      EXPECT_EQ(received_[i].bytes(), expected_[i].bytes()) << "from " << i;
    }
  }

  std::vector<SendPart> sends;
  std::vector<RecvPart> receives;

 private:
  static std::uint64_t seed_of(std::uint64_t seed, int from, int to) {
    return 10000 * seed + 100 * static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(to) + 1;
  }
  static Datatype type(std::uint64_t seed, int from, int to) {
    const std::uint64_t own = seed_of(seed, from, to);
    return test::random_type(own, {.max_size = own % 3 == 0 ? 20000 : 600});
  }

  std::vector<UserBuffer> sent_, received_, expected_;
  std::vector<Plan> plans_, rooms_;
};

TEST_F(Exchanges, OfRandomTypesWithEachRank) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Traffic traffic(rank_, ranks_, seed);
    alltoallw(traffic.sends, traffic.receives, comm_, nullptr);
    traffic.expect_arrived();
  }
}

// Whose channel goes when MPI ends.
TEST_F(Exchanges, OnTheWorld) {
  Traffic traffic(rank_, ranks_, 11);
  alltoallw(traffic.sends, traffic.receives, MPI_COMM_WORLD, nullptr);
  traffic.expect_arrived();
}

// They match in the order started, and meet no receive of the caller's.
TEST_F(Exchanges, ManyAtOnceEndInAnyOrder) {
  const Plan plan = commit(Named::int_);
  int word = -1;
  Request anything = irecv(&word, 1, plan, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, nullptr);
  MPI_Barrier(comm_);
  Traffic first(rank_, ranks_, 21);
  Traffic second(rank_, ranks_, 22);
  Request one = ialltoallw(first.sends, first.receives, comm_, nullptr);
  Request two = ialltoallw(second.sends, second.receives, comm_, nullptr);
  two.wait();
  one.wait();
  first.expect_arrived();
  second.expect_arrived();
  EXPECT_FALSE(anything.test().has_value());
  MPI_Barrier(comm_);
  send(&rank_, 1, plan, partner(), 0, comm_, nullptr);
  EXPECT_EQ(anything.wait().source, partner());
}

// Another rank calls only when this one's call has returned.
TEST_F(Exchanges, TheFirstOnACommunicatorWaitsForNobody) {
  if (transport::current() == nullptr) GTEST_SKIP() << "needs a session";
  Traffic first(rank_, ranks_, 23);
  Traffic second(rank_, ranks_, 24);
  const int before = rank_ - 1;
  const int behind = rank_ + 1;
  if (before >= 0) MPI_Recv(nullptr, 0, MPI_BYTE, before, 0, comm_, MPI_STATUS_IGNORE);
  Request one = ialltoallw(first.sends, first.receives, comm_, nullptr);
  Request two = ialltoallw(second.sends, second.receives, comm_, nullptr);
  if (behind < ranks_) MPI_Send(nullptr, 0, MPI_BYTE, behind, 0, comm_);
  two.wait();
  one.wait();
  first.expect_arrived();
  second.expect_arrived();
}

TEST_F(Exchanges, OutliveTheirCommunicator) {
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
  Traffic traffic(rank_, ranks_, 25);
  Request request = ialltoallw(traffic.sends, traffic.receives, comm, nullptr);
  MPI_Comm_free(&comm);
  request.wait();
  traffic.expect_arrived();
}

// Who waits there for all ranks must let those come that wait for a long message of his.
TEST_F(Exchanges, LetOtherMessagesGoOnWhileTheirCommunicatorIsFreed) {
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
  Traffic traffic(rank_, ranks_, 26);
  constexpr std::int64_t words = std::int64_t{1} << 20;
  const Plan every_other = commit(vector(words / 2, 1, 2, Named::int_));
  std::vector<int> data(words, rank_);
  Request sending;
  if (rank_ < partner()) sending = isend(data.data(), 1, every_other, partner(), 0, comm_, nullptr);
  if (rank_ > partner()) recv(data.data(), 1, every_other, partner(), 0, comm_, nullptr);
  Request exchange = ialltoallw(traffic.sends, traffic.receives, comm, nullptr);
  MPI_Comm_free(&comm);
  exchange.wait();
  sending.wait();
  traffic.expect_arrived();
  const int sender = std::min(rank_, partner());
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], i % 2 == 0 ? sender : rank_) << i;
}

TEST_F(Exchanges, PersistentOnesStartInAnyOrder) {
  const auto apart = [&] { return transport::CollectiveContext::apart(comm_); };
  const transport::EdgeExchange a(comm_, transport::everybody(comm_), apart());
  const transport::EdgeExchange b(comm_, transport::everybody(comm_), apart());
  for (std::uint64_t round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    Traffic of_a(rank_, ranks_, 51 + 3 * round), of_b(rank_, ranks_, 52 + 3 * round);
    Traffic of_neither(rank_, ranks_, 53 + 3 * round);
    std::vector<Request> requests;
    const auto start_a = [&] { requests.push_back(a.start(of_a.sends, of_a.receives, nullptr)); };
    const auto start_b = [&] { requests.push_back(b.start(of_b.sends, of_b.receives, nullptr)); };
    rank_ % 2 == 0 ? start_a() : start_b();
    requests.push_back(ialltoallw(of_neither.sends, of_neither.receives, comm_, nullptr));
    rank_ % 2 == 0 ? start_b() : start_a();
    wait_all(requests);
    of_a.expect_arrived();
    of_b.expect_arrived();
    of_neither.expect_arrived();
  }
}

TEST_F(Exchanges, DroppedOnesArrive) {
  Traffic traffic(rank_, ranks_, 31);
  { const Request dropped = ialltoallw(traffic.sends, traffic.receives, comm_, nullptr); }
  traffic.expect_arrived();
}

TEST_F(Exchanges, TellAnErrorWhenAllElseIsThere) {
  TYPEWARP_NEEDS_SAFE_TRUNCATION();
  TYPEWARP_NEEDS_RANKS(2);
  const Plan plan = commit(Named::int_);
  std::vector<std::array<int, 2>> sent(static_cast<std::size_t>(ranks_), {rank_, rank_});
  std::vector<std::array<int, 2>> received(static_cast<std::size_t>(ranks_), {-1, -1});
  std::vector<SendPart> sends;
  std::vector<RecvPart> receives;
  for (int r = 0; r < ranks_; ++r) {
    sends.push_back({sent[static_cast<std::size_t>(r)].data(), 1 + (r == 0 && rank_ == 1 ? 1 : 0), plan});
    receives.push_back({received[static_cast<std::size_t>(r)].data(), 1, plan});
  }
  if (rank_ == 0) {
    EXPECT_THROW(alltoallw(sends, receives, comm_, nullptr), MpiError);
  } else {
    alltoallw(sends, receives, comm_, nullptr);
  }
  for (int r = 0; r < ranks_; ++r) {
    if (rank_ == 0 && r == 1) continue;
    EXPECT_EQ(received[static_cast<std::size_t>(r)][0], r);
  }
}

TEST_F(Exchanges, OfNeighboursInARing) {
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Cart_create(comm_, 1, &ranks_, &periodic, 0, &ring), MPI_SUCCESS);
  const int below = (rank_ + ranks_ - 1) % ranks_;
  const int above = (rank_ + 1) % ranks_;
  EXPECT_EQ(exchange_ints(ring, 2, 2), (std::vector<int>{100 * below + 1, 100 * above}));
  MPI_Comm_free(&ring);
}

TEST_F(Exchanges, OfNeighboursAtAnEdge) {
  const int open = 0;
  MPI_Comm row = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Cart_create(comm_, 1, &ranks_, &open, 0, &row), MPI_SUCCESS);
  const std::vector<int> received = exchange_ints(row, 2, 2);
  EXPECT_EQ(received[0], rank_ > 0 ? 100 * (rank_ - 1) + 1 : -1);
  EXPECT_EQ(received[1], rank_ + 1 < ranks_ ? 100 * (rank_ + 1) : -1);
  MPI_Comm_free(&row);
}

// Two edges to the next rank, one from it: parts of the same pair come in their order.
TEST_F(Exchanges, OfNeighboursInAGraph) {
  const int next = (rank_ + 1) % ranks_;
  const int last = (rank_ + ranks_ - 1) % ranks_;
  const std::array sources{last, last};
  const std::array destinations{next, next};
  MPI_Comm graph = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Dist_graph_create_adjacent(comm_, 2, sources.data(), MPI_UNWEIGHTED, 2, destinations.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
            MPI_SUCCESS);
  EXPECT_EQ(exchange_ints(graph, 2, 2), (std::vector<int>{100 * last, 100 * last + 1}));
  MPI_Comm_free(&graph);
}

TEST_F(Exchanges, OfNeighboursInAnOldGraph) {
  std::vector<int> ends, edges;
  for (int r = 0; r < ranks_; ++r) {
    const int other = r ^ 1;
    edges.push_back(other < ranks_ ? other : r);
    ends.push_back(r + 1);
  }
  MPI_Comm graph = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Graph_create(comm_, ranks_, ends.data(), edges.data(), 0, &graph), MPI_SUCCESS);
  EXPECT_EQ(exchange_ints(graph, 1, 1), (std::vector<int>{100 * partner()}));
  MPI_Comm_free(&graph);
}

int count_deletion(MPI_Comm, int, void* counter, void*) {
  ++*static_cast<int*>(counter);
  return MPI_SUCCESS;
}

// A duplicate is told from its attributes, which it has from the communicator: there is one without a
// Session.
TEST_F(Exchanges, LeaveNothingBehindOfACommunicator) {
  int key = MPI_KEYVAL_INVALID;
  ASSERT_EQ(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, &count_deletion, &key, nullptr), MPI_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
  int deletions = 0;
  MPI_Comm_set_attr(comm, key, &deletions);
  for (std::uint64_t round = 0; round < 3; ++round) {
    Traffic traffic(rank_, ranks_, 41 + round);
    alltoallw(traffic.sends, traffic.receives, comm, nullptr);
    traffic.expect_arrived();
  }
  EXPECT_EQ(deletions, 0);
  MPI_Comm_free(&comm);
  EXPECT_EQ(deletions, transport::current() != nullptr ? 1 : 2);
  MPI_Comm_free_keyval(&key);
}

// Open MPI allows no other collective call while a duplicate is made.
TEST_F(Exchanges, TheFirstOnACommunicatorLetsOtherCollectiveCallsFollow) {
  for (std::uint64_t round = 0; round < 5; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
    Traffic traffic(rank_, ranks_, 61 + round);
    Request exchange = ialltoallw(traffic.sends, traffic.receives, comm, nullptr);
    std::array<MPI_Request, 3> others;
    int sum = 0;
    std::uint64_t word = rank_ == 0 ? round : 0;
    ASSERT_EQ(MPI_Iallreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, comm, &others[0]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Ibcast(&word, 1, MPI_UINT64_T, 0, comm, &others[1]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Ibarrier(comm, &others[2]), MPI_SUCCESS);
    exchange.wait();
    ASSERT_EQ(MPI_Waitall(3, others.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sum, ranks_ * (ranks_ - 1) / 2);
    EXPECT_EQ(word, round);
    traffic.expect_arrived();
    MPI_Comm_free(&comm);
  }
}

TEST_F(Exchanges, NameWhatIsWrong) {
  const Plan plan = commit(Named::int_);
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<int> words(ranks);
  std::vector<SendPart> sends(ranks, {words.data(), 1, plan});
  std::vector<RecvPart> receives(ranks, {words.data(), 1, plan});
  const auto argument = [&] { return invalid_argument([&] { alltoallw(sends, receives, comm_, nullptr); }); };
  sends.back().count = -1;
  EXPECT_EQ(argument(), "sends[" + std::to_string(ranks_ - 1) + "].count");
  sends.back() = {nullptr, 1, plan};
  EXPECT_EQ(argument(), "sends[" + std::to_string(ranks_ - 1) + "].buffer");
  sends.back() = {words.data(), 1, plan};
  receives.pop_back();
  EXPECT_EQ(argument(), "receives.size()");
  EXPECT_EQ(invalid_argument([&] { alltoallw(sends, receives, MPI_COMM_NULL, nullptr); }), "comm");
  EXPECT_EQ(invalid_argument([&] { neighbor_alltoallw(sends, receives, comm_, nullptr); }), "comm");
}

}  // namespace
}  // namespace typewarp
