// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/core.hpp"
#include "transport/fixture.hpp"

#include <memory>

namespace typewarp::test {

/// A Transport for all tests of a program, by which messages of device memory go by `protocol`, in short
/// pieces; where it cannot, all are skipped.
class OverProtocol : public testing::Environment {
 public:
  explicit OverProtocol(Protocol protocol) : protocol_(protocol) {}

  void SetUp() override {
    const TransportOptions options{
        .eager_bytes = 509, .chunk_bytes = 64, .pool_bytes = 4096, .protocol = protocol_};
    transport_ = std::make_unique<typewarp::Transport>(MPI_COMM_WORLD, options);
    if (!transport_->possible(protocol_)) {
      transport_.reset();
      reason_to_skip() = std::string(name(protocol_)) + " is not possible here";
      return;
    }
    transport::current()->link_policy = {.pool_bytes = std::int64_t{1} << 20,
                                         .piece_bytes = std::int64_t{16} << 10,
                                         .piece_scale = std::int64_t{1} << 10};
  }
  void TearDown() override { transport_.reset(); }

 private:
  Protocol protocol_;
  std::unique_ptr<typewarp::Transport> transport_;
};

}  // namespace typewarp::test
