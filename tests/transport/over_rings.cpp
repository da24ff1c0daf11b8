// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to suites that were written for messages as such, this has all messages of 509 bytes and more go
// through rings, in pieces of a few bytes, as long as there are any.

#include "transport/protocol_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace typewarp {
namespace {

class OverRings : public testing::Environment {
 public:
  void SetUp() override {
    constexpr TransportOptions options{.eager_bytes = 509, .chunk_bytes = 64, .pool_bytes = 4096};
    transport_ = std::make_unique<Transport>(MPI_COMM_WORLD, test::with_thread_if_asked(options));
    transport::Core& core = *transport::current();
    if (!core.rings.reach(core.rank())) GTEST_SKIP() << "processes may not share memory here";
    core.ring_policy = {.least_bytes = 509,
                        .least_in_place = 509,
                        .most_in_place = 2000,
                        .least_piece = 64,
                        .longest_piece = 100,
                        .bytes_at_a_time = 200};
  }
  void TearDown() override { transport_.reset(); }

 private:
  std::unique_ptr<Transport> transport_;
};

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new OverRings);

}  // namespace
}  // namespace typewarp
