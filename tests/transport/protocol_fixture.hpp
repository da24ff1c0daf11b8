// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/core.hpp"
#include "transport/fixture.hpp"

#include <memory>

namespace typewarp::test {

/// With a progress thread, too, if TYPEWARP_PROGRESS_THREAD asks for one: the suites run both ways.
inline TransportOptions with_thread_if_asked(TransportOptions options) {
  options.progress_thread = options.progress_thread || TransportOptions::from_environment().progress_thread;
  return options;
}

/// A Transport of all ranks for each test, and a check that its messages give back all that they took.
class ProtocolTest : public test::Transport {
 protected:
  void start(const TransportOptions& options) {
    transport_ = std::make_unique<typewarp::Transport>(comm_, with_thread_if_asked(options));
    core_ = transport::current();
  }

  void TearDown() override {
    if (core_) {
      EXPECT_EQ(core_->progress.active(), 0U);
      EXPECT_EQ(core_->tags.taken(), 0U);
      EXPECT_EQ(core_->outgoing.taken(), 0U);
      EXPECT_EQ(core_->incoming.taken(), 0U);
    }
    core_.reset();
    transport_.reset();
    test::Transport::TearDown();
  }

  /// Nearly everything is announced, and goes in pieces of 1 KiB.
  static constexpr TransportOptions small_pieces{
      .eager_bytes = 600, .chunk_bytes = 1024, .pool_bytes = std::int64_t{1} << 20};

  std::unique_ptr<typewarp::Transport> transport_;
  std::shared_ptr<transport::Core> core_;
};

}  // namespace typewarp::test
