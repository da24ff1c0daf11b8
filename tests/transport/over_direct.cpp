// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to suites that were written for messages as such, this has the receiver's device read all messages
// of device memory where they lie.

#include <typewarp/transport.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace typewarp {
namespace {

class OverDirect : public testing::Environment {
 public:
  void SetUp() override {
    constexpr TransportOptions options{
        .eager_bytes = 509, .chunk_bytes = 64, .pool_bytes = 4096, .protocol = Protocol::direct};
    transport_ = std::make_unique<Transport>(MPI_COMM_WORLD, options);
  }
  void TearDown() override { transport_.reset(); }

 private:
  std::unique_ptr<Transport> transport_;
};

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new OverDirect);

}  // namespace
}  // namespace typewarp
