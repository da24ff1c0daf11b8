// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collective/collective_context.hpp"
#include "transport/fixture.hpp"
#include "transport/memory/failing_memory.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/collective.hpp>
#include <typewarp/plan.hpp>

#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace {
int duplicates = 0;
bool has_no_duplicates = false;  ///< this rank alone: the others get theirs
}  // namespace

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++duplicates;
  const int code = PMPI_Comm_dup(comm, made);
  if (!has_no_duplicates || code != MPI_SUCCESS) return code;
  PMPI_Comm_free(made);
  return MPI_ERR_OTHER;
}

namespace typewarp::transport {
namespace {

using LackingMemory = test::Session;

constexpr Neighbours::Edge to_itself{0, 0};

/// Makes a channel in which allocation after allocation fails, until none is left to fail. `check` looks at
/// each one.
template <class Make, class Check>
void make_each(MPI_Comm comm, Make make, Check check) {
  bool happened = true;
  for (int nth = 1; happened; ++nth) {
    MPI_Comm own = MPI_COMM_NULL;
    ASSERT_EQ(PMPI_Comm_dup(comm, &own), MPI_SUCCESS);
    const int before = duplicates;
    std::shared_ptr<CollectiveContext> made;
    {
      const test::FailingMemory failing(nth);
      made = insist([&] { return make(own); });
      happened = failing.happened();
    }
    check(*made, duplicates - before);
    PMPI_Comm_free(&own);
  }
}

// The others would wait for ever in the second one.
TEST_F(LackingMemory, DuplicatesACommunicatorOnce) {
  const auto once = [](CollectiveContext& made, int times) {
    EXPECT_EQ(times, 1);
    EXPECT_TRUE(made.made(true));
  };
  make_each(comm_, CollectiveContext::of, once);
  make_each(comm_, [](MPI_Comm comm) { return CollectiveContext::apart(comm); }, once);
}

TEST_F(LackingMemory, LosesNoTagsOfADuplicate) {
  const auto tag = [&] { return CollectiveContext::apart(comm_)->source(to_itself).tag; };
  const int first = tag();
  const int step = tag() - first;
  bool happened = true;
  int expected = first + 2 * step;
  for (int nth = 1; happened; ++nth, expected += step) {
    const test::FailingMemory failing(nth);
    const std::shared_ptr<CollectiveContext> made = insist([&] { return CollectiveContext::apart(comm_); });
    happened = failing.happened();
    ASSERT_EQ(made->source(to_itself).tag, expected) << "allocation " << nth;
  }
}

/// What came of an exchange of one number with each rank.
struct Exchanged {
  std::vector<int> received;
  bool failed = false;
};

Exchanged exchange(int number, MPI_Comm comm, int ranks, std::optional<int> failing_from, bool& happened) {
  constexpr int untouched = -1;
  Exchanged found{std::vector<int>(static_cast<std::size_t>(ranks), untouched)};
  const Plan plan = commit(Named::int32);
  std::vector<SendPart> sends;
  std::vector<RecvPart> receives;
  for (int& to : found.received) {
    sends.push_back({&number, 1, plan});
    receives.push_back({&to, 1, plan});
  }
  try {
    Request request;
    {
      const test::FailingMemory failing(failing_from.value_or(1),
                                        failing_from ? std::numeric_limits<int>::max() : 0);
      request = ialltoallw(sends, receives, comm);
      happened = failing.happened();
    }
    request.wait();
  } catch (const std::bad_alloc&) {
    found.failed = happened = true;
  } catch (const Error&) {
    found.failed = true;
  }
  return found;
}

// Ranks of which some have a duplicate would wait for those that have none.
TEST_F(LackingMemory, DuplicatesInAllRanksOrInNone) {
  TYPEWARP_NEEDS_RANKS(2);
  bool ignored = false;
  has_no_duplicates = rank_ == 1;
  const Exchanged without = exchange(1, comm_, ranks_, std::nullopt, ignored);
  has_no_duplicates = false;
  EXPECT_TRUE(without.failed);
  EXPECT_EQ(without.received, std::vector(static_cast<std::size_t>(ranks_), -1));
  const Exchanged with = exchange(2, comm_, ranks_, std::nullopt, ignored);
  EXPECT_FALSE(with.failed);
  EXPECT_EQ(with.received, std::vector(static_cast<std::size_t>(ranks_), 2));
}

// It sends nothing, or says so: the next exchange's messages must not be taken for those of this one.
TEST_F(LackingMemory, MixesNoExchanges) {
  TYPEWARP_NEEDS_RANKS(2);
  using namespace std::chrono_literals;
  SessionOptions options;
  options.time_limit = 100ms;
  const typewarp::Session session(comm_, options);
  int goes_on = 1;
  for (int nth = 1; goes_on != 0; ++nth) {
    MPI_Comm own = MPI_COMM_NULL;
    ASSERT_EQ(PMPI_Comm_dup(comm_, &own), MPI_SUCCESS);
    bool happened = false, ignored = false;
    exchange(1, own, ranks_, std::nullopt, ignored);  // opens the channel
    for (int number = 10; number <= 30; number += 10) {
      const bool fails = rank_ == 0 && number == 10;
      const Exchanged found = exchange(number, own, ranks_, fails ? std::optional(nth) : std::nullopt,
                                       fails ? happened : ignored);
      for (const int received : found.received)
        EXPECT_TRUE(received == number || (found.failed && received == -1))
            << "allocation " << nth << ", exchange " << number << ": " << received;
    }
    goes_on = happened ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, comm_);
    PMPI_Comm_free(&own);
  }
}

}  // namespace
}  // namespace typewarp::transport
