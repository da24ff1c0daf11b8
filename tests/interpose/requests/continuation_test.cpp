// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/continuation.hpp"

#include "transport/fixture.hpp"

#include <typewarp/completion.hpp>
#include <typewarp/p2p.hpp>
#include <typewarp/plan.hpp>
#include <typewarp/session.hpp>

#include <memory>
#include <new>
#include <optional>

namespace typewarp::interpose {
namespace {

using ContinuationTest = test::Session;

constexpr int tag = 7;

/// Where the message cannot begin, nobody finds it later: neither whoever makes progress, nor the Session as
/// it ends.
void expect_nothing_is_left_of_one_that_cannot_begin(MPI_Comm comm) {
  bool has_acted = false;
  const auto kept = std::make_shared<int>();
  const Act act = [&has_acted, kept](const Status&, Moves&) { has_acted = true; };
  const long used = kept.use_count();
  const auto begin = []() -> Request { throw std::bad_alloc(); };
  EXPECT_THROW(static_cast<void>(continued(begin, comm, act)), std::bad_alloc);
  progress();
  EXPECT_EQ(kept.use_count(), used);
  EXPECT_FALSE(has_acted);
}

/// One that begins acts once, when its message has come.
void expect_one_acts(MPI_Comm comm, int rank) {
  int sent = 1, received = 0, acts = 0, seen = 0;
  const Plan plan = commit(Named::int32);
  const auto begin = [&] { return irecv(&received, 1, plan, rank, tag, comm); };
  Request receive = continued(begin, comm, [&](const Status&, Moves&) {
    ++acts;
    seen = received;
  });
  send(&sent, 1, plan, rank, tag, comm);
  receive.wait();
  EXPECT_EQ(acts, 1);
  EXPECT_EQ(seen, sent);
}

TEST_F(ContinuationTest, NothingIsLeftOfOneThatCannotBegin) {
  expect_nothing_is_left_of_one_that_cannot_begin(comm_);
  expect_one_acts(comm_, rank_);
}

TEST_F(ContinuationTest, NothingIsLeftOfOneThatCannotBeginWithinASession) {
  const typewarp::Session session(comm_);
  expect_nothing_is_left_of_one_that_cannot_begin(comm_);
  expect_one_acts(comm_, rank_);
}

}  // namespace
}  // namespace typewarp::interpose
