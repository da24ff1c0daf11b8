// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/collective/dup_comm.hpp"
#include "transport/session.hpp"
#include "transport/fixture.hpp"

#include <chrono>
#include <limits>
#include <memory>
#include <thread>

namespace typewarp::test {

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

  std::size_t rings_taken() const { return state_->rings != nullptr ? state_->rings->taken() : 0; }
  /// That all messages are over, and have given back what they took; exchanges leave their tags with the
  /// communicator. The progress thread, if it was the last
  /// to look at one, lets go of it a moment later.
  void expect_nothing_is_held() const {
    const std::size_t kept_tags = transport::DupComm::tags_kept_with(comm_);
    const auto held = [&] {
      return state_->progress.active() + state_->comm.tags.taken() - kept_tags +
             state_->host_pools.outgoing.taken() + state_->host_pools.incoming.taken() + rings_taken() +
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
    EXPECT_EQ(rings_taken(), 0U);
    EXPECT_EQ(state_->device_pools.taken(), 0U);
  }

  void TearDown() override {
    if (state_) expect_nothing_is_held();
    state_.reset();
    session_.reset();
    test::Session::TearDown();
  }

  /// Nearly everything is announced, and goes in pieces of 1 KiB.
  static constexpr SessionOptions small_pieces{
      .eager_bytes = 600, .chunk_bytes = 1024, .pool_bytes = std::int64_t{1} << 20};

  std::unique_ptr<typewarp::Session> session_;
  std::shared_ptr<transport::SessionState> state_;
  bool has_thread_ = false;
};

}  // namespace typewarp::test
