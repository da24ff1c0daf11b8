// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to suites that were written for messages as such, this has a link carry nearly all messages that may
// be announced, from and to host memory, in pieces of the shortest length. TYPEWARP_TEST_CARRIER, mpi or ucx,
// says by what.

#include "transport/core.hpp"
#include "transport/host_link.hpp"
#include "transport/protocol_fixture.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace typewarp {
namespace {

test::Carrier asked_for() {
  const char* const value = std::getenv("TYPEWARP_TEST_CARRIER");
  return value != nullptr && std::string_view(value) == "ucx" ? test::Carrier::ucx : test::Carrier::mpi;
}

class OverLink : public testing::Environment {
 public:
  void SetUp() override {
    if (!test::available(asked_for())) {
      test::reason_to_skip() = "there is no UCX (TYPEWARP_UCX_LIBRARY names one)";
      return;
    }
    constexpr TransportOptions options{
        .eager_bytes = 509, .chunk_bytes = 64, .pool_bytes = 4096, .protocol = Protocol::pipelined};
    transport_ = std::make_unique<Transport>(MPI_COMM_WORLD, test::with_thread_if_asked(options));
    const std::shared_ptr<transport::Core> core = transport::current();
    core->link_policy = {.pool_bytes = 4096, .piece_bytes = 64, .piece_scale = 64};
    std::unique_ptr<transport::Link> carrier = test::make_host_carrier(asked_for(), core->comm());
    ASSERT_NE(carrier, nullptr);
    core->link_by(std::make_unique<test::HostLink>(std::move(carrier), control_));
  }
  void TearDown() override {
    if (!transport_) return;
    EXPECT_GT(control_->sent, 0);
    transport_.reset();
  }

 private:
  std::shared_ptr<test::HostLink::Control> control_ = std::make_shared<test::HostLink::Control>();
  std::unique_ptr<Transport> transport_;
};

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new OverLink);

}  // namespace
}  // namespace typewarp
