// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges as such, wherever the parts lie.

#include "schedule/streams/exchanges.hpp"
#include "support/environment.hpp"
#include "support/expect_invalid.hpp"
#include "transport/outcome.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>

namespace typewarp {
namespace {

using namespace std::chrono_literals;
using test::content;
using test::Exchanges;
using test::Lane;
using test::PartTraffic;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Exchanges, OfRandomTypesWithEachRank) {
  const Lane lane;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    PartTraffic traffic(rank_, ranks_, static_cast<int>(seed % 3) + 1, seed);
    Exchange exchange = exchange_of(traffic);
    for (int round = 0; round < 3; ++round) {
      exchange.start(lane.get());
      exchange.wait();
      traffic.expect_arrived();
      traffic.clear();
      MPI_Barrier(comm_);
    }
  }
}

TEST_F(Exchanges, OfNoParts) {
  const Lane lane;
  Exchange exchange(mpi::ranks(comm_), {}, {});
  EXPECT_TRUE(exchange.done());
  exchange.start(lane.get());
  exchange.wait();
}

TEST_F(Exchanges, LeaveOutNobody) {
  const Plan plan = commit(Named::int_);
  int word = 5;
  const OutgoingPart out{&word, 1, plan, MPI_PROC_NULL};
  const IncomingPart in{&word, 1, plan, MPI_PROC_NULL};
  Exchange exchange(mpi::ranks(comm_), std::span(&out, 1), std::span(&in, 1));
  exchange.start();
  exchange.wait();
  EXPECT_EQ(word, 5);
}

// No rank waits for its own starts, or for another rank.
TEST_F(Exchanges, ThousandStartsWithoutWaiting) {
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 2, 31);
  Exchange exchange = exchange_of(traffic);
  for (int i = 0; i < test::repetitions(1000); ++i) exchange.start(lane.get());
  exchange.wait();
  EXPECT_TRUE(exchange.done());
  traffic.expect_arrived();
}

TEST_F(Exchanges, TwoInAnotherOrderOnEachRank) {
  const Lane first_lane, second_lane;
  PartTraffic first(rank_, ranks_, 1, 41), second(rank_, ranks_, 2, 42);
  Exchange one = exchange_of(first), two = exchange_of(second);
  for (int round = 0; round < 20; ++round) {
    if (rank_ % 2 == 0) one.start(first_lane.get());
    two.start(second_lane.get());
    if (rank_ % 2 != 0) one.start(first_lane.get());
  }
  two.wait();
  one.wait();
  first.expect_arrived();
  second.expect_arrived();
}

TEST_F(Exchanges, WaitForWhoIsLate) {
  TYPEWARP_NEEDS_RANKS(2);
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 2, 51);
  Exchange exchange = exchange_of(traffic, {.time_limit = 20s});
  if (rank_ == 1) MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, comm_, MPI_STATUS_IGNORE);
  exchange.start(lane.get());
  if (rank_ == 0) {
    std::this_thread::sleep_for(100ms);  // in which it would end, if it waited for nobody
    EXPECT_FALSE(exchange.done());
    MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, comm_);
  }
  exchange.wait();
  traffic.expect_arrived();
}

// Time in which nothing is asked of anybody does not count.
TEST_F(Exchanges, RestBeyondTheTimeLimit) {
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 2, 55);
  Exchange exchange = exchange_of(traffic, {.time_limit = 1s});
  for (int round = 0; round < 2; ++round) {
    std::this_thread::sleep_for(1100ms);
    MPI_Barrier(comm_);
    exchange.start(lane.get());
    exchange.wait();
  }
  traffic.expect_arrived();
}

// Nor does that between calls, where nobody else moves it on.
TEST_F(Exchanges, RestBetweenStartAndWaitBeyondTheTimeLimit) {
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 2, 57);
  Exchange exchange = exchange_of(traffic, {.time_limit = 1s});
  for (int round = 0; round < 2; ++round) {
    MPI_Barrier(comm_);
    exchange.start(lane.get());
    if (rank_ == 0) static_cast<void>(exchange.done());
    std::this_thread::sleep_for(1100ms);
    MPI_Barrier(comm_);
    std::this_thread::sleep_for(rank_ == 0 ? 0ms : 100ms);
    exchange.wait();
  }
  traffic.expect_arrived();
}

TEST_F(Exchanges, EndAtTheTimeLimit) {
  TYPEWARP_NEEDS_RANKS(2);
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 2, 61);
  std::optional<Exchange> exchange = exchange_of(traffic, {.time_limit = 1s});
  if (rank_ != 1) {
    const auto begun = std::chrono::steady_clock::now();
    exchange->start(lane.get());
    EXPECT_THROW(exchange->wait(), TimeLimitExceeded);
    const auto took = std::chrono::steady_clock::now() - begun;
    EXPECT_GE(took, 1s);
    EXPECT_LT(took, 3s);
    EXPECT_THROW(exchange->start(lane.get()), TimeLimitExceeded);
    EXPECT_THROW(static_cast<void>(exchange->done()), TimeLimitExceeded);
  }
  exchange.reset();
  // Others go on.
  PartTraffic next(rank_, ranks_, 2, 62);
  Exchange another = exchange_of(next);
  another.start(lane.get());
  another.wait();
  next.expect_arrived();
}

TEST_F(Exchanges, AreBoundToOtherBuffers) {
  const Lane lane;
  PartTraffic one(rank_, ranks_, 2, 71), two(rank_, ranks_, 2, 71);
  Exchange exchange = exchange_of(one);
  exchange.start(lane.get());
  std::vector<const void*> sends;
  std::vector<void*> receives;
  for (const OutgoingPart& part : two.sends) sends.push_back(part.buffer);
  for (const IncomingPart& part : two.receives) receives.push_back(part.buffer);
  exchange.rebind(sends, receives);
  one.expect_arrived();
  one.clear();
  exchange.start(lane.get());
  exchange.wait();
  two.expect_arrived();
  for (const auto& part : one.received) EXPECT_EQ(part->bytes(), part->image.bytes());
}

// Each rank sends column r of a matrix of shorts to rank r, from another place at each start: some so that
// words are no longer where they were aligned.
TEST_F(Exchanges, ReadSendsThatAreElsewhere) {
  const Lane lane;
  const auto columns = static_cast<std::int64_t>(ranks_);
  constexpr std::int64_t rows = 3000, width = 16, margin = 4096;
  const std::int64_t bytes = rows * columns * width;
  const auto memory = test::memory_of_part(0, 3 * bytes + margin);
  test::Bytes filled(static_cast<std::size_t>(3 * bytes + margin));
  for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = content(rank_, static_cast<std::int64_t>(i));
  memory->write(filled);
  const auto target = test::memory_of_part(0, bytes);
  const Plan column = commit(vector(rows, width / 2, columns * width / 2, Named::int16));
  const Plan dense = commit(contiguous(rows * width / 2, Named::int16));
  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
  for (int other = 0; other < ranks_; ++other) {
    sends.push_back({memory->data() + bytes + other * width, 1, column, other});
    receives.push_back({target->data() + other * rows * width, 1, dense, other});
  }
  Exchange exchange(mpi::ranks(comm_), sends, receives);
  test::Bytes found(static_cast<std::size_t>(bytes));
  for (const std::int64_t by : {std::int64_t{0}, bytes, -bytes, std::int64_t{8}, std::int64_t{-4}, bytes + 2,
                                std::int64_t{1}, std::int64_t{-3}, std::int64_t{0}}) {
    SCOPED_TRACE(by);
    const std::int64_t moved = by + 16 * rank_;  // on each rank by another distance
    exchange.start(lane.get(), {.sends = moved});
    exchange.wait();
    target->read(found);
    for (std::int64_t i = 0; i < bytes; ++i) {
      const auto from = static_cast<int>(i / (rows * width));
      const std::int64_t row = i / width % rows;
      const std::int64_t place = bytes + (row * columns + rank_) * width + i % width + by + 16 * from;
      ASSERT_EQ(found[static_cast<std::size_t>(i)], content(from, place)) << "byte " << i;
    }
    MPI_Barrier(comm_);
  }
}

// Each start has its own place, also where many have been asked for before the first one is done.
TEST_F(Exchanges, KeepTheDistanceOfEachStart) {
  const Lane lane;
  constexpr std::int64_t starts = 100, bytes = 64;
  const auto memory = test::memory_of_part(0, starts * bytes);
  test::Bytes filled(static_cast<std::size_t>(starts * bytes));
  for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = content(rank_, static_cast<std::int64_t>(i));
  memory->write(filled);
  const auto target = test::memory_of_part(0, bytes);
  const Plan plan = commit(contiguous(bytes, Named::byte));
  const OutgoingPart out{memory->data(), 1, plan, partner()};
  const IncomingPart in{target->data(), 1, plan, partner()};
  Exchange exchange(mpi::ranks(comm_), std::span(&out, 1), std::span(&in, 1));
  for (std::int64_t start = 0; start < starts; ++start) exchange.start(lane.get(), {.sends = start * bytes});
  exchange.wait();
  test::Bytes found(static_cast<std::size_t>(bytes));
  target->read(found);
  for (std::int64_t i = 0; i < bytes; ++i) {
    ASSERT_EQ(found[static_cast<std::size_t>(i)], content(partner(), (starts - 1) * bytes + i));
  }
}

TEST_F(Exchanges, RefuseToDisplaceOwnReceivesThatAreCarried) {
  const auto source = test::memory_of_part(1, 8), target = test::memory_of_part(1, 8);
  const Plan plan = commit(Named::int32);
  const OutgoingPart out{source->data(), 1, plan, rank_};
  const IncomingPart in{target->data(), 1, plan, rank_};
  Exchange exchange(mpi::ranks(comm_), std::span(&out, 1), std::span(&in, 1));
  if (exchange.ways().carried_receives == 0) GTEST_SKIP() << "a device stores them";
  EXPECT_EQ(test::invalid_argument([&] { exchange.start({}, {.own_receives = 4}); }),
            "displacements.own_receives");
  exchange.start();
  exchange.wait();
}

TEST_F(Exchanges, AreNotBoundOnAnyRankIfOneHasFailed) {
  TYPEWARP_NEEDS_RANKS(2);
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 2, 73);
  Exchange exchange = exchange_of(traffic, {.time_limit = 300ms});
  if (rank_ != 1) exchange.start(lane.get());
  const std::vector<const void*> sends(traffic.sends.size());
  const std::vector<void*> receives(traffic.receives.size());
  try {
    exchange.rebind(sends, receives);
    ADD_FAILURE() << "was bound";
  } catch (const TimeLimitExceeded&) {
    EXPECT_NE(rank_, 1);
  } catch (const Error& error) {
    EXPECT_EQ(rank_, 1);
    EXPECT_TRUE(holds(error.what(), "a start has waited")) << error.what();
  }
}

TEST_F(Exchanges, AreNotBoundToAnotherNumberOfBuffers) {
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 1, 75);
  Exchange exchange = exchange_of(traffic);
  std::vector<const void*> sends(traffic.sends.size() + (rank_ == 0 ? 1 : 0));
  std::vector<void*> receives(traffic.receives.size());
  EXPECT_THROW(exchange.rebind(sends, receives), Error);
  exchange.start(lane.get());
  exchange.wait();
  traffic.expect_arrived();
}

template <typename Part>
void expect_told(const std::vector<Part>& parts, const std::vector<PartWay>& ways, std::int64_t direct,
                 std::int64_t carried) {
  ASSERT_EQ(ways.size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(ways[i].peer, parts[i].peer);
    EXPECT_EQ(ways[i].bytes, parts[i].count * parts[i].plan.size());
    EXPECT_EQ(ways[i].reason.empty(), ways[i].direct || ways[i].bytes == 0) << ways[i].reason;
    direct -= ways[i].direct ? 1 : 0;
    carried -= ways[i].reason.empty() ? 0 : 1;
  }
  EXPECT_EQ(direct, 0);
  EXPECT_EQ(carried, 0);
}

TEST_F(Exchanges, TellTheirWays) {
  PartTraffic traffic(rank_, ranks_, 2, 81);
  const Exchange exchange = exchange_of(traffic);
  const ExchangeWays ways = exchange.ways();
  expect_told(traffic.sends, exchange.ways_of_sends(), ways.direct_sends, ways.carried_sends);
  expect_told(traffic.receives, exchange.ways_of_receives(), ways.direct_receives, ways.carried_receives);
}

TEST_F(Exchanges, NameAWrongArgumentOnAllRanks) {
  const int wrong = ranks_ - 1;
  const std::string text = failure([&](auto& sends, auto&) {
    if (rank_ == wrong) sends[0].count = -3;
  });
  EXPECT_TRUE(holds(text, "sends[0].count = -3")) << text;
  if (rank_ != wrong) {
    EXPECT_TRUE(holds(text, "rank " + std::to_string(wrong))) << text;
  }
  const std::string peer = failure([&](auto&, auto& receives) {
    if (rank_ == wrong) receives[0].peer = ranks_;
  });
  EXPECT_TRUE(holds(peer, "receives[0].peer")) << peer;
  const std::string null = failure([&](auto& sends, auto&) {
    if (rank_ == wrong) sends[0].buffer = nullptr;
  });
  EXPECT_TRUE(holds(null, "sends[0].buffer = null")) << null;
}

TEST_F(Exchanges, NameWhereSenderAndReceiverDisagree) {
  const int wrong = ranks_ - 1;
  const std::string longer = failure([&](auto&, auto& receives) {
    if (rank_ == wrong) receives[0].count = 2;
  });
  EXPECT_TRUE(holds(longer, "rank " + std::to_string(wrong)) && holds(longer, "receives[0]") &&
              holds(longer, "8 bytes here, 4 there"))
      << longer;
  const std::string type = failure([&](auto&, auto& receives) {
    if (rank_ == wrong) receives[0].plan = commit(Named::float_);
  });
  EXPECT_TRUE(holds(type, "elements of other types")) << type;
  const std::string more = failure([&](auto&, auto& receives) {
    if (rank_ == wrong) receives.push_back(receives[0]);
  });
  EXPECT_TRUE(holds(more, "2 parts from rank") && holds(more, "which sends 1")) << more;
}

TEST_F(Exchanges, RefuseCommunicatorsAndLimits) {
  EXPECT_EQ(test::invalid_argument([] { Exchange(mpi::ranks(MPI_COMM_NULL), {}, {}); }), "comm");
  EXPECT_EQ(test::invalid_argument([&] { Exchange(mpi::ranks(comm_), {}, {}, {.time_limit = -1ms}); }),
            "options.time_limit");
  EXPECT_EQ(test::invalid_argument(
                [&] { Exchange(mpi::ranks(comm_), {}, {}, {.time_limit = 9'223'372'036'855ms}); }),
            "options.time_limit");
}

// An MPI gives out the numbers of keyvals that were freed again.
TEST_F(Exchanges, TakeNoKeyvalForEachCommunicator) {
  const auto next_keyval = [] {
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
    const int number = keyval;
    MPI_Comm_free_keyval(&keyval);
    return number;
  };
  const auto make_one = [&] {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
    { const Exchange made(mpi::ranks(comm), {}, {}); }
    MPI_Comm_free(&comm);
  };
  make_one();
  const int before = next_keyval();
  for (int i = 0; i < 5; ++i) make_one();
  EXPECT_EQ(next_keyval(), before);
}

// The communicator may go before.
TEST_F(Exchanges, OutliveTheirCommunicator) {
  const Lane lane;
  PartTraffic traffic(rank_, ranks_, 1, 91);
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &comm), MPI_SUCCESS);
  Exchange exchange(mpi::ranks(comm), traffic.sends, traffic.receives);
  MPI_Comm_free(&comm);
  Exchange moved = std::move(exchange);
  moved.start(lane.get());
  moved.wait();
  traffic.expect_arrived();
}

}  // namespace
}  // namespace typewarp
