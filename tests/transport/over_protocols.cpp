// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to suites that were written for messages as such, this runs them over the protocols: nearly all
// messages that may be announced are, and go in pieces of the shortest length.

#include "transport/protocol_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace typewarp {
namespace {

class OverProtocols : public testing::Environment {
 public:
  void SetUp() override {
    constexpr TransportOptions options{
        .eager_bytes = 509, .chunk_bytes = 64, .pool_bytes = 4096, .protocol = Protocol::pipelined};
    transport_ = std::make_unique<Transport>(MPI_COMM_WORLD, test::with_thread_if_asked(options));
  }
  void TearDown() override { transport_.reset(); }

 private:
  std::unique_ptr<Transport> transport_;
};

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new OverProtocols);

}  // namespace
}  // namespace typewarp
