// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/host_link.hpp"
#include "transport/protocol_fixture.hpp"

namespace typewarp::test {

/// Messages whose fragments a link carries. Host memory stands in for a device's, so that this needs no GPU.
class Linked : public ProtocolTest, public testing::WithParamInterface<Carrier> {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!available(GetParam())) GTEST_SKIP() << "needs UCX (TYPEWARP_UCX_LIBRARY names one)";
    link(small_fragments, 8 * fragment_bytes);
  }

  void TearDown() override {
    if (state_) expect_no_chunk_is_taken();
    ProtocolTest::TearDown();
  }

  void link(const SessionOptions& options, std::int64_t pool_bytes) {
    link(make_host_carrier(GetParam(), restarted(options, pool_bytes)));
  }

  /// A new Session; its private communicator, on which a carrier is to be made.
  /// `pool_bytes`: for fragments, in two shares.
  MPI_Comm restarted(SessionOptions options, std::int64_t pool_bytes = 8 * fragment_bytes) {
    options.device_pool_bytes = pool_bytes;
    stop();
    start(options);
    return state_->comm.get();
  }

  void link(std::unique_ptr<transport::GpuChannel> carrier) {
    state_->profile.link.fragment_scale = state_->profile.direct.fragment_bytes = fragment_bytes;
    ASSERT_NE(carrier, nullptr);
    state_->link_by(std::make_unique<HostLink>(std::move(carrier), control_));
  }

  void expect_no_chunk_is_taken() const {
    const auto way = state_->device_pools.link_way(side_of(&rank_, commit(vector(2, 1, 2, Named::short_))));
    if (!way || way->pool == nullptr) return;
    EXPECT_EQ(way->pool->taken(), 0U);
  }

  /// Fragments that were sent since this was last asked.
  int sent() { return control_->sent.exchange(0); }

  static constexpr std::int64_t fragment_bytes = 256;
  std::shared_ptr<HostLink::Control> control_ = std::make_shared<HostLink::Control>();
};

inline std::string carrier_name(const testing::TestParamInfo<Carrier>& info) {
  return info.param == Carrier::mpi ? "mpi" : "ucx";
}

}  // namespace typewarp::test
