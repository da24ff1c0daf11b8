// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Waits that are given up at any time, on both sides, while fragments are under way. What was not given up is
// byte-exact, and in the end nothing is left.

#include "support/random.hpp"
#include "transport/channel/host_sharing.hpp"
#include "transport/protocol_fixture.hpp"
#include "transport/request/waiting.hpp"

#include <chrono>
#include <limits>
#include <vector>

namespace typewarp {
namespace {

using test::ProtocolTest;
using test::Random;
using transport::Waiting;

constexpr int messages_a_round = 20;
constexpr int rounds = 10;

std::byte content(int message, std::int64_t place) {
  return static_cast<std::byte>(7 * message + static_cast<int>(place % 251));
}

enum class By { pool, rings, shared_chunks };

struct Setting {
  SessionOptions options;
  By way = By::pool;
};

class GivenUp : public ProtocolTest, public testing::WithParamInterface<Setting> {
 protected:
  struct Message {
    std::vector<std::byte> memory;
    std::int64_t bytes;
    std::int64_t step;  ///< from byte to byte
    Request request;
  };

  void start_as_asked() {
    constexpr std::int64_t fragment_bytes = 4096;
    SessionOptions options = GetParam().options;
    options.device_pool_bytes = 8 * fragment_bytes;
    start(options, GetParam().way == By::rings);
    if (GetParam().way != By::shared_chunks) return;
    sharing_.is_near = false;
    state_->share_by(sharing_);
    state_->profile.direct.fragments_from = 0;
    state_->profile.direct.fragment_cost = 0;
    state_->profile.direct.fragments_rate = std::numeric_limits<double>::infinity();
    state_->profile.direct.fragment_bytes = fragment_bytes;
  }

  Plan plan_of(const Message& message) const {
    return commit(vector(message.bytes, 1, message.step, Named::byte));
  }

  // Tags tell messages apart, so that one that nobody receives is not taken for another.
  void start_round(Random& both, Random& own, int ranks_tag) {
    outgoing_.resize(messages_a_round);
    incoming_.resize(messages_a_round);
    for (int i = 0; i < messages_a_round; ++i) {
      const std::int64_t bytes = both.range(0, both.one_in(3) ? 300'000 : 20'000);
      for (std::vector<Message>* side : {&outgoing_, &incoming_}) {
        Message& message = (*side)[static_cast<std::size_t>(i)];
        message.bytes = bytes;
        message.step = own.range(1, 2);
        message.memory.assign(static_cast<std::size_t>(bytes * message.step + 1), std::byte{0});
      }
      Message& out = outgoing_[static_cast<std::size_t>(i)];
      for (std::int64_t k = 0; k < bytes; ++k) {
        out.memory[static_cast<std::size_t>(k * out.step)] = content(i, k);
      }
      Message& in = incoming_[static_cast<std::size_t>(i)];
      out.request = isend(out.memory.data(), 1, plan_of(out), partner(), ranks_tag + i, comm_, nullptr);
      in.request = irecv(in.memory.data(), 1, plan_of(in), partner(), ranks_tag + i, comm_, nullptr);
    }
  }

  /// Waits for all in any order. Some are given up after a few steps, and what their peers then lack is given
  /// up by the time limit.
  void end_round(Random& own) {
    std::vector<int> order;
    for (int i = 0; i < 2 * messages_a_round; ++i) order.push_back(i);
    own.shuffle(order);
    for (const int i : order) {
      const bool sends = i < messages_a_round;
      const int number = i % messages_a_round;
      Message& message = (sends ? outgoing_ : incoming_)[static_cast<std::size_t>(number)];
      for (std::int64_t steps = own.range(0, 30); steps > 0; --steps) message.request.ready();
      if (own.one_in(10)) message.request.cancel();
      const bool given_up = own.one_in(4) && !Waiting::over(message.request);
      if (given_up) Waiting::give_up(message.request);
      try {
        const Status status = given_up ? Waiting::finish(message.request) : message.request.wait();
        if (!sends && !status.cancelled) expect_content(message, number, status);
      } catch (const Error&) {
        ++given_up_;
      }
    }
  }

  void expect_content(const Message& message, int number, const Status& status) {
    EXPECT_EQ(status.bytes, message.bytes);
    for (std::int64_t k = 0; k < message.bytes; ++k) {
      ASSERT_EQ(message.memory[static_cast<std::size_t>(k * message.step)], content(number, k)) << k;
    }
  }

  /// Takes in what was sent and is not received any more, until no rank has anything under way.
  void settle() {
    int left = 1;
    std::vector<std::byte> rest;
    while (left != 0) {
      for (int i = 0; i < 100; ++i) {
        const std::optional<Status> found = iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_);
        if (!found) continue;
        rest.resize(static_cast<std::size_t>(found->bytes));
        try {
          recv(rest.data(), found->bytes, commit(Named::byte), found->source, found->tag, comm_, nullptr);
        } catch (const Error&) {
          // Its sender gave up, or this rank once more: the message is gone all the same.
        }
      }
      const int own = state_->progress.active() == 0 ? 0 : 1;
      MPI_Request reduction = MPI_REQUEST_NULL;
      MPI_Iallreduce(&own, &left, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &reduction);
      int done = 0;
      while (done == 0) {
        progress();
        MPI_Test(&reduction, &done, MPI_STATUS_IGNORE);
      }
    }
  }

  std::vector<Message> outgoing_, incoming_;
  int given_up_ = 0;
  test::HostSharing sharing_;
};

TEST_P(GivenUp, AtAnyTimeEndsEverywhere) {
  const bool shared = GetParam().way == By::shared_chunks;
  if (shared && !test::HostSharing::possible()) {
    GTEST_SKIP() << "needs processes that may read each other's memory";
  }
  start_as_asked();
  Random both(static_cast<std::uint64_t>(rank_ / 2) + 1);
  Random own(static_cast<std::uint64_t>(rank_) + 100);
  for (int round = 0; round < rounds; ++round) {
    start_round(both, own, round * messages_a_round);
    end_round(own);
    settle();
    ASSERT_FALSE(HasFatalFailure());
  }
  int given_up_by_all = 0;
  MPI_Allreduce(&given_up_, &given_up_by_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (state_->options.progress_thread) return;  // which may be quicker than anybody who gives up
  EXPECT_GT(given_up_by_all, 0) << "nothing was given up: this shows nothing";
}

constexpr std::chrono::milliseconds limit{20};

constexpr SessionOptions large_pool{
    .eager_bytes = 600, .chunk_bytes = 1024, .pool_bytes = std::int64_t{1} << 20, .time_limit = limit};
constexpr SessionOptions small_pool{
    .eager_bytes = 600, .chunk_bytes = 4096, .pool_bytes = 8192, .time_limit = limit};

INSTANTIATE_TEST_SUITE_P(All, GivenUp,
                         testing::Values(Setting{large_pool}, Setting{small_pool},
                                         Setting{large_pool, By::rings},
                                         Setting{large_pool, By::shared_chunks}),
                         [](const auto& setting) {
                           const By way = setting.param.way;
                           return "PoolOf" + std::to_string(setting.param.options.pool_bytes) +
                                  (way == By::rings           ? "AndRings"
                                   : way == By::shared_chunks ? "AndSharedChunks"
                                                              : "");
                         });

}  // namespace
}  // namespace typewarp
