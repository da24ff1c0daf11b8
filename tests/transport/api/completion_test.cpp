// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Waiting for, and testing, many requests at once: with a Session and without.

#include "support/user_buffer.hpp"
#include "transport/protocol_fixture.hpp"

#include <set>
#include <vector>

namespace typewarp {
namespace {

using test::ProtocolTest;

constexpr int messages = 6;

class Many : public ProtocolTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (GetParam()) start(small_fragments);
    sent_.assign(messages, std::vector<std::byte>(3000, static_cast<std::byte>(rank_)));
    received_.assign(messages, std::vector<std::byte>(3000));
    for (int i = 0; i < messages; ++i) {
      requests_.push_back(
          irecv(received_[static_cast<std::size_t>(i)].data(), 3000, byte_, partner(), i, comm_, nullptr));
    }
    requests_.emplace_back();  // an inactive one
  }

  void send_all() {
    for (int i = 0; i < messages; ++i) {
      sends_.push_back(
          isend(sent_[static_cast<std::size_t>(i)].data(), 3000, byte_, partner(), i, comm_, nullptr));
    }
  }

  void TearDown() override {
    wait_all(sends_);
    for (const auto& data : received_) {
      EXPECT_EQ(data, std::vector<std::byte>(3000, static_cast<std::byte>(partner())));
    }
    ProtocolTest::TearDown();
  }

  const Plan byte_ = commit(Named::byte);
  std::vector<std::vector<std::byte>> sent_, received_;
  std::vector<Request> requests_, sends_;
};

TEST_P(Many, WaitAll) {
  send_all();
  const std::vector<Status> statuses = wait_all(requests_);
  ASSERT_EQ(statuses.size(), requests_.size());
  for (int i = 0; i < messages; ++i) EXPECT_EQ(statuses[static_cast<std::size_t>(i)].tag, i);
  EXPECT_EQ(statuses.back().bytes, 0);
}

TEST_P(Many, TestAllIsAllOrNothing) {
  EXPECT_FALSE(test_all(requests_));
  MPI_Barrier(comm_);
  send_all();
  std::optional<std::vector<Status>> statuses;
  while (!(statuses = test_all(requests_))) {
    for (int i = 0; i < messages; ++i) ASSERT_TRUE(requests_[static_cast<std::size_t>(i)].active());
  }
  EXPECT_EQ(statuses->size(), requests_.size());
}

TEST_P(Many, AnyOneAfterTheOther) {
  EXPECT_FALSE(test_any(requests_));
  MPI_Barrier(comm_);
  send_all();
  std::set<std::size_t> seen;
  while (const auto done = wait_any(requests_)) {
    EXPECT_EQ(done->status.tag, static_cast<int>(done->index));
    EXPECT_FALSE(requests_[done->index].active());
    seen.insert(done->index);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(messages));
}

TEST_P(Many, SomeUntilNoneIsLeft) {
  EXPECT_TRUE(test_some(requests_).empty());
  MPI_Barrier(comm_);
  send_all();
  std::set<std::size_t> seen;
  for (;;) {
    const std::vector<Completion> done = wait_some(requests_);
    if (done.empty()) break;
    for (const Completion& one : done) seen.insert(one.index);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(messages));
}

TEST_P(Many, AnErrorLeavesTheOthersComplete) {
  if (!GetParam() && partner() == rank_) {
    send_all();
    wait_all(requests_);
    return;  // not every MPI truncates its own messages
  }
  std::byte small{};
  requests_.back() = irecv(&small, 1, byte_, partner(), messages, comm_, nullptr);
  send_all();
  const std::vector<std::byte> longer(400);
  sends_.push_back(isend(longer.data(), 400, byte_, partner(), messages, comm_, nullptr));
  EXPECT_THROW(wait_all(requests_), MpiError);
  for (const Request& request : requests_) EXPECT_FALSE(request.active());
}

// What else completed is told first, and the error by the next call.
TEST_P(Many, SomeLosesNothingToAnError) {
  const std::vector<std::byte> longer(400);
  std::byte small{};
  send_all();
  if (GetParam() || partner() != rank_) {  // not every MPI truncates its own messages
    requests_.back() = irecv(&small, 1, byte_, partner(), messages, comm_, nullptr);
    sends_.push_back(isend(longer.data(), 400, byte_, partner(), messages, comm_, nullptr));
  }
  const bool fails = requests_.back().active();
  for (Request& request : requests_) {
    while (!request.ready()) continue;
  }
  EXPECT_EQ(test_some(requests_).size(), static_cast<std::size_t>(messages));
  EXPECT_EQ(requests_.back().active(), fails);
  if (fails) {
    EXPECT_THROW(wait_some(requests_), MpiError);
  }
  EXPECT_TRUE(wait_some(requests_).empty());
}

INSTANTIATE_TEST_SUITE_P(All, Many, testing::Bool(),
                         [](const auto& with) { return with.param ? "WithATransport" : "Without"; });

}  // namespace
}  // namespace typewarp
