// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Peers that are not in the Session, that are too late, or that fail.

#include "support/user_buffer.hpp"
#include "transport/protocol_fixture.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace typewarp {
namespace {

using test::ProtocolTest;
using test::UserBuffer;

const Datatype column = vector(5000, 1, 2, Named::byte);

class Peers : public ProtocolTest {};

// Rank 0 has no Session, the others have one of their own.
TEST_F(Peers, OutsideOfTheTransportTalkPlainly) {
  TYPEWARP_NEEDS_RANKS(2);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm_, rank_ == 0 ? 0 : 1, rank_, &part);
  const auto inside = rank_ == 0 ? nullptr : std::make_unique<typewarp::Session>(part, small_fragments);
  const Plan plan = commit(column);
  const Plan plain = commit(contiguous(5000, Named::byte));
  std::vector<UserBuffer> sent;
  std::vector<UserBuffer> received;
  std::vector<Request> receives;
  std::vector<Request> sends;
  for (int peer = 0; peer < ranks_; ++peer) {
    sent.emplace_back(column, 1, static_cast<std::uint64_t>(rank_));
    received.emplace_back(column, 1, 99);
  }
  // Nobody knows from whom the messages come, so there must be room for those of either kind.
  for (int peer = 0; peer < ranks_; ++peer) {
    receives.push_back(irecv(received[static_cast<std::size_t>(peer)].origin(), 1, plan, MPI_ANY_SOURCE, tag,
                             comm_, nullptr));
  }
  for (int peer = 0; peer < ranks_; ++peer) {
    sends.push_back(isend(sent[static_cast<std::size_t>(peer)].origin(), 1, plan, peer, tag, comm_, nullptr));
  }
  std::vector<bool> seen(static_cast<std::size_t>(ranks_));
  for (int i = 0; i < ranks_; ++i) {
    const Status status = receives[static_cast<std::size_t>(i)].wait();
    seen[static_cast<std::size_t>(status.source)] = true;
    UserBuffer expected(column, 1, static_cast<std::uint64_t>(status.source));
    EXPECT_EQ(gathered(received[static_cast<std::size_t>(i)], column, 1), gathered(expected, column, 1));
  }
  EXPECT_EQ(seen, std::vector<bool>(static_cast<std::size_t>(ranks_), true));
  for (Request& request : sends) request.wait();
  MPI_Barrier(comm_);  // else what follows may match a receive of any source
  // A plain receive takes what the inside sends to the outside, and the other way round.
  std::vector<std::byte> bytes(5000);
  if (rank_ == 0) {
    for (int peer = 1; peer < ranks_; ++peer) {
      MPI_Status status;
      EXPECT_EQ(MPI_Recv(bytes.data(), 5000, MPI_BYTE, peer, tag, comm_, &status), MPI_SUCCESS);
      EXPECT_EQ(transport::received_bytes(status), 5000);
      MPI_Send(bytes.data(), 5000, MPI_BYTE, peer, tag, comm_);
    }
  } else {
    send(sent[0].origin(), 1, plan, 0, tag, comm_, nullptr);
    EXPECT_EQ(recv(bytes.data(), 1, plain, 0, tag, comm_, nullptr).bytes, 5000);
    EXPECT_EQ(bytes, gathered(sent[0], column, 1));
  }
  MPI_Comm_free(&part);
}

class Late : public Peers {
 protected:
  void SetUp() override {
    Peers::SetUp();
    if (ranks_ < 2) GTEST_SKIP() << "needs 2 ranks";
    SessionOptions options = small_fragments;
    options.time_limit = limit;
    start(options);
  }

  void restart(const SessionOptions& options) {
    stop();
    start(options);
  }

  static constexpr std::chrono::milliseconds limit{100};

  template <typename Call>
  void expect_time_limit(int peer, Call call) {
    try {
      call();
      ADD_FAILURE() << "did not throw";
    } catch (const TimeLimitExceeded& error) {
      EXPECT_EQ(error.peer(), peer);
      if (peer >= 0) {
        EXPECT_NE(std::string(error.what()).find("rank " + std::to_string(peer)), std::string::npos)
            << error.what();
      }
    }
  }

  /// Whether this rank's messages move only when it calls: what a peer waits for in vain.
  bool rests_between_calls() const { return !state_->options.progress_thread; }
};

TEST_F(Late, ReceiveOfWhatNobodySendsIsGivenUp) {
  UserBuffer received(column, 1, 1);
  expect_time_limit(partner(),
                    [&] { recv(received.origin(), 1, commit(column), partner(), tag, comm_, nullptr); });
  expect_time_limit(MPI_ANY_SOURCE,
                    [&] { recv(received.origin(), 1, commit(column), MPI_ANY_SOURCE, tag, comm_, nullptr); });
  settle();
}

TEST_F(Late, SendThatWasGivenUpFailsAtTheReceiver) { expect_sender_that_gives_up_tells_its_receiver(column); }

TEST_F(Late, ReceiveThatWasGivenUpInTheMiddleDrains) {
  if (!rests_between_calls()) GTEST_SKIP() << "needs a session without a progress thread";
  SessionOptions options = small_fragments;
  if (rank_ % 2 != 0) options.time_limit = limit;  // the sender is patient
  restart(options);
  expect_receiver_that_gives_up_lets_its_sender_end(column);
}

// The notice comes together with fragments, by which the receiver must not be led to post more.
TEST_F(Late, SenderThatGivesUpInTheMiddleEndsItsReceiver) {
  if (!rests_between_calls()) GTEST_SKIP() << "needs a session without a progress thread";
  // Fragments that no MPI sends before they are received.
  constexpr std::int64_t fragment = 256 << 10;
  restart({.eager_bytes = 600, .chunk_bytes = fragment, .pool_bytes = 6 * fragment, .time_limit = limit});
  if (rank_ == partner()) return settle();
  constexpr std::int64_t bytes = 64 * fragment;
  const Datatype sent = contiguous(bytes, Named::byte);
  const Datatype spread = vector(bytes, 1, 2, Named::byte);
  if (rank_ % 2 == 0) {
    UserBuffer data(sent, 1, 1);
    Request sending = isend(data.origin(), 1, commit(sent), partner(), tag, comm_, nullptr);
    MPI_Recv(nullptr, 0, MPI_BYTE, partner(), tag + 2, comm_, MPI_STATUS_IGNORE);
    expect_time_limit(partner(), [&] { sending.wait(); });
    MPI_Send(nullptr, 0, MPI_BYTE, partner(), tag + 3, comm_);
    while (state_->progress.active() != 0) state_->progress.advance_some();
    MPI_Send(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_);
  } else {
    UserBuffer received(spread, 1, 2);
    Request receive = irecv(received.origin(), 1, commit(spread), partner(), tag, comm_, nullptr);
    while (state_->host_pools.incoming.taken() == 0 && !receive.ready()) continue;
    MPI_Send(nullptr, 0, MPI_BYTE, partner(), tag + 2, comm_);
    MPI_Recv(nullptr, 0, MPI_BYTE, partner(), tag + 3, comm_, MPI_STATUS_IGNORE);  // the sender has given up
    EXPECT_THROW(receive.wait(), Error);
    MPI_Recv(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_, MPI_STATUS_IGNORE);
  }
  settle();
}

TEST_F(Late, ManyRequestsAreGivenUpTogether) {
  constexpr std::size_t messages = 300;  // so that one limit each is far from three, whatever else runs
  std::vector<std::byte> received(messages);
  std::vector<Request> receives;
  for (std::byte& one : received) {
    receives.push_back(irecv(&one, 1, commit(Named::byte), partner(), tag, comm_, nullptr));
  }
  const auto start = std::chrono::steady_clock::now();
  expect_time_limit(partner(), [&] { wait_any(receives); });
  EXPECT_FALSE(receives[0].active());
  expect_time_limit(partner(), [&] { wait_some(receives); });
  EXPECT_FALSE(receives[1].active());
  EXPECT_TRUE(receives[2].active());
  expect_time_limit(partner(), [&] { wait_all(receives); });
  for (const Request& receive : receives) EXPECT_FALSE(receive.active());
  // Three limits, not one for each message.
  EXPECT_LT(std::chrono::steady_clock::now() - start, messages / 2 * limit);
  settle();
}

TEST_F(Late, ReceiveThatWasGivenUpKeepsNoTransport) {
  std::byte received{};
  const Plan plan = commit(Named::byte);
  expect_time_limit(partner(), [&] { recv(&received, 1, plan, partner(), tag, comm_, nullptr); });
  const std::weak_ptr<transport::SessionState> core = state_;
  stop();
  EXPECT_TRUE(core.expired());
}

// A message that waits for the only chunk makes progress as long as the one that has it does.
TEST_F(Late, MessageThatWaitsForMemoryIsNotGivenUp) {
  restart({.eager_bytes = 600, .chunk_bytes = 64, .pool_bytes = 128, .time_limit = 3 * limit});
  constexpr std::int64_t bytes = 8'000'000;
  const Datatype spread = vector(bytes, 1, 2, Named::byte);
  const Plan plan = commit(spread);
  std::vector<UserBuffer> sent(2, UserBuffer(spread, 1, 1));
  std::vector<UserBuffer> received(2, UserBuffer(spread, 1, 2));
  std::vector<Request> requests;
  for (int i = 0; i < 2; ++i) {
    const auto index = static_cast<std::size_t>(i);
    requests.push_back(irecv(received[index].origin(), 1, plan, rank_, i, comm_, nullptr));
    requests.push_back(isend(sent[index].origin(), 1, plan, rank_, i, comm_, nullptr));
    while (i == 0 && state_->host_pools.incoming.taken() == 0 && !requests.front().ready()) continue;
  }
  EXPECT_EQ(requests[2].wait().bytes, bytes);
  wait_all(requests);
  settle();
}

// Rank 0 leaves before the others come, and its communicator is still in use.
TEST_F(Late, DepartureBeyondTheLimitLeavesTheMpiAlone) {
  state_.reset();
  if (rank_ != 0) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  session_.reset();
  EXPECT_EQ(MPI_Barrier(comm_), MPI_SUCCESS);
}

}  // namespace
}  // namespace typewarp
