// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/user_buffer.hpp"
#include "transport/collective/collective_context.hpp"
#include "transport/fixture.hpp"
#include "transport/session.hpp"

#include <chrono>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

namespace typewarp::test {

inline Datatype row(std::int64_t bytes) { return contiguous(bytes, Named::byte); }
inline Datatype spread(std::int64_t bytes) { return vector(bytes, 1, 2, Named::byte); }

/// With a progress thread, too, if TYPEWARP_PROGRESS_THREAD asks for one: the suites run both ways.
inline SessionOptions with_thread_if_asked(SessionOptions options) {
  options.progress_thread = options.progress_thread || SessionOptions::from_environment().progress_thread;
  return options;
}

/// A Session of all ranks for each test, and a check that its messages give back all that they took.
class ProtocolTest : public test::Session {
 protected:
  /// Unless they are asked for, messages take no rings: they hide the other protocols on one host.
  void start(const SessionOptions& options, bool through_rings = false) {
    use(std::make_unique<typewarp::Session>(comm_, with_thread_if_asked(options)), through_rings);
  }
  void use(std::unique_ptr<typewarp::Session> made, bool through_rings = false) {
    has_thread_ = made->options().progress_thread;
    session_ = std::move(made);
    state_ = transport::current();
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    if (!through_rings) state_->profile.ring = {.least_bytes = never, .least_in_place = never};
  }

  std::size_t held_by_channels() const {
    std::size_t held = 0;
    for (const auto& channel : state_->channels) held += channel != nullptr ? channel->taken() : 0;
    return held;
  }
  /// That all messages are over, and have given back what they took; exchanges leave their tags with the
  /// communicator. The progress thread, if it was the last
  /// to look at one, lets go of it a moment later.
  void expect_nothing_is_held() const {
    const std::size_t kept_tags = transport::CollectiveContext::tags_kept_with(comm_);
    const auto held = [&] {
      return state_->progress.active() + state_->comm.tags.taken() - kept_tags +
             state_->host_pools.outgoing.taken() + state_->host_pools.incoming.taken() + held_by_channels() +
             state_->device_pools.taken();
    };
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (has_thread_ && held() != 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if (has_thread_) {
      state_->progress.stop_thread();  // and with it goes what it had its hands on
      state_->progress.start_thread();
    }
    EXPECT_EQ(state_->progress.active(), 0U);
    EXPECT_EQ(state_->comm.tags.taken(), kept_tags);
    EXPECT_EQ(state_->host_pools.outgoing.taken(), 0U);
    EXPECT_EQ(state_->host_pools.incoming.taken(), 0U);
    EXPECT_EQ(held_by_channels(), 0U);
    EXPECT_EQ(state_->device_pools.taken(), 0U);
  }

  void TearDown() override {
    if (state_) expect_nothing_is_held();
    state_.reset();
    session_.reset();
    test::Session::TearDown();
  }

  void stop() {
    state_.reset();
    session_.reset();
  }

  /// `count` items to the partner, and as many from there; every byte around what comes is checked.
  void exchange(const Datatype& sent, std::int64_t count, const Datatype& received, std::uint64_t seed = 0,
                MPI_Comm comm = MPI_COMM_NULL) {
    if (comm == MPI_COMM_NULL) comm = comm_;
    UserBuffer mine(sent, count, 10 * seed + static_cast<std::uint64_t>(rank_));
    UserBuffer theirs(sent, count, 10 * seed + static_cast<std::uint64_t>(partner()));
    UserBuffer target(received, 1, 99);
    UserBuffer expected(received, 1, 99);
    const Status status = sendrecv(mine.origin(), count, commit(sent), partner(), tag, target.origin(), 1,
                                   commit(received), partner(), tag, comm, nullptr);
    EXPECT_EQ(status.bytes, sent.size() * count);
    EXPECT_EQ(status.source, partner());
    EXPECT_EQ(status.tag, tag);
    scatter(gathered(theirs, sent, count), expected, received, 1);
    EXPECT_EQ(target.bytes(), expected.bytes()) << "seed " << seed << "\n" << sent << "to\n" << received;
  }

  /// Messages to and from each rank, all at once, received in the reverse order.
  void exchange_many(int messages, const Datatype& type) {
    const Plan plan = commit(type);
    const auto source_of = [&](int i) { return ((rank_ - i) % ranks_ + ranks_) % ranks_; };
    UserBuffer sent(type, 1, static_cast<std::uint64_t>(rank_));
    std::vector<UserBuffer> received(static_cast<std::size_t>(messages), UserBuffer(type, 1, 99));
    std::vector<Request> requests;
    for (int i = 0; i < messages; ++i) {
      requests.push_back(isend(sent.origin(), 1, plan, (rank_ + i) % ranks_, i, comm_, nullptr));
    }
    for (int i = messages - 1; i >= 0; --i) {
      void* const to = received[static_cast<std::size_t>(i)].origin();
      requests.push_back(irecv(to, 1, plan, source_of(i), i, comm_, nullptr));
    }
    wait_all(requests);
    for (int i = 0; i < messages; ++i) {
      UserBuffer expected(type, 1, static_cast<std::uint64_t>(source_of(i)));
      EXPECT_EQ(gathered(received[static_cast<std::size_t>(i)], type, 1), gathered(expected, type, 1)) << i;
    }
  }

  /// A barrier that moves messages on.
  void meet() const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    for (int done = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) progress();
  }
  /// Until all messages of all ranks are over, also those that were given up.
  void settle() const {
    while (state_->progress.active() != 0) progress();
    meet();
  }

  // What the protocols have in common where somebody gives up. The Session has a short time limit.

  /// A sender, before its receiver has come: who is told, and gets nothing.
  void expect_sender_that_gives_up_tells_its_receiver(const Datatype& type) {
    UserBuffer from(type, 1, 1), to(type, 1, 2);
    Request sending = isend(from.origin(), 1, commit(type), partner(), tag, comm_, nullptr);
    EXPECT_THROW(sending.wait(), TimeLimitExceeded);
    meet();
    EXPECT_THROW(recv(to.origin(), 1, commit(type), partner(), tag, comm_, nullptr), Error);
    settle();
    EXPECT_EQ(to.bytes(), UserBuffer(type, 1, 2).bytes());
  }
  /// A receiver in the middle, while its sender is busy elsewhere: who then sends to the end, and nothing of
  /// that is written. Needs a partner.
  void expect_receiver_that_gives_up_lets_its_sender_end(const Datatype& type) {
    UserBuffer from(type, 1, 1), to(type, 1, 2);
    if (rank_ % 2 == 0) {
      Request sending = isend(from.origin(), 1, commit(type), partner(), tag, comm_, nullptr);
      MPI_Recv(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_, MPI_STATUS_IGNORE);
      EXPECT_EQ(sending.wait().bytes, type.size());
    } else {
      Request receive = irecv(to.origin(), 1, commit(type), partner(), tag, comm_, nullptr);
      while (state_->comm.tags.taken() == 0 && !receive.ready()) continue;  // until it is matched and cleared
      EXPECT_THROW(receive.wait(), TimeLimitExceeded);
      MPI_Send(nullptr, 0, MPI_BYTE, partner(), tag + 1, comm_);
    }
    settle();
    EXPECT_EQ(to.bytes(), UserBuffer(type, 1, 2).bytes());
  }

  /// One item, as messages have it.
  transport::MessageBuffer side_of(const void* memory, const Plan& plan) const {
    return {{"test", "buffer", "count"}, memory, 1, plan, comm_, false, nullptr};
  }

  /// Of the messages of these functions, and of most tests.
  static constexpr int tag = 4;
  /// Nearly everything is announced, and goes in fragments of 1 KiB.
  static constexpr SessionOptions small_fragments{
      .eager_bytes = 600, .chunk_bytes = 1024, .pool_bytes = std::int64_t{1} << 20};

  /// The same; whoever is forgotten shows.
  static constexpr SessionOptions limited_fragments{.eager_bytes = 600,
                                                    .chunk_bytes = 1024,
                                                    .pool_bytes = std::int64_t{1} << 20,
                                                    .time_limit = std::chrono::seconds(20)};

  std::unique_ptr<typewarp::Session> session_;
  std::shared_ptr<transport::SessionState> state_;
  bool has_thread_ = false;
};

}  // namespace typewarp::test
