// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to suites that were written for messages as such, this has the receiver read all messages of 509
// bytes and more where they lie, in host memory.

#include "transport/core.hpp"
#include "transport/host_sharing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace typewarp {
namespace {

class OverSharedChunks : public testing::Environment {
 public:
  void SetUp() override {
    if (!test::HostSharing::possible()) GTEST_SKIP() << "processes may not read each other's memory here";
    constexpr TransportOptions options{
        .eager_bytes = 509, .chunk_bytes = 64, .pool_bytes = 4096, .protocol = Protocol::direct};
    transport_ = std::make_unique<Transport>(MPI_COMM_WORLD, options);
    sharing_.is_near = false;
    transport::current()->share_by(sharing_);
    transport::DirectPolicy& policy = transport::current()->policy;
    policy.pieces_from = 0;
    policy.piece_cost = 0;
    policy.pieces_rate = std::numeric_limits<double>::infinity();
    policy.piece_bytes = 64;
    policy.pool_bytes = 2048;
  }
  void TearDown() override {
    if (!transport_) return;
    EXPECT_GT(sharing_.unpacked, 0);
    transport_.reset();
  }

 private:
  test::HostSharing sharing_;
  std::unique_ptr<Transport> transport_;
};

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new OverSharedChunks);

}  // namespace
}  // namespace typewarp
