// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/user_buffer.hpp"
#include "transport/host_sharing.hpp"
#include "transport/protocol_fixture.hpp"

#include <cstdint>
#include <vector>

namespace typewarp::test {

inline Datatype row(std::int64_t bytes) { return contiguous(bytes, Named::byte); }

inline Datatype spread(std::int64_t bytes) { return vector(bytes, 1, 3, Named::byte); }

/// Irregular, so that its wire is too long for a descriptor.
inline Datatype scattered(std::int64_t blocks) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(blocks));
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < places.size(); ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    places[i] = static_cast<std::int64_t>(3 * i + (state >> 63));
  }
  return indexed_block(1, places, Named::byte);
}

/// Messages that the receiver reads where they lie. Host memory stands in for a device's, so that this needs
/// no GPU.
class Direct : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!HostSharing::possible()) GTEST_SKIP() << "processes may not read each other's memory here";
    share(small_pieces);
  }

  void share(const TransportOptions& options) {
    core_.reset();
    transport_.reset();
    start(options);
    core_->share_by(sharing_);
  }

  void exchange(const Datatype& sent, std::int64_t count, const Datatype& received, std::uint64_t seed = 0) {
    UserBuffer mine(sent, count, 10 * seed + static_cast<std::uint64_t>(rank_));
    UserBuffer theirs(sent, count, 10 * seed + static_cast<std::uint64_t>(partner()));
    UserBuffer target(received, 1, 99);
    UserBuffer expected(received, 1, 99);
    const Status status = sendrecv(mine.origin(), count, commit(sent), partner(), tag_, target.origin(), 1,
                                   commit(received), partner(), tag_, comm_, nullptr);
    EXPECT_EQ(status.bytes, sent.size() * count);
    scatter(gathered(theirs, sent, count), expected, received, 1);
    EXPECT_EQ(target.bytes(), expected.bytes()) << "seed " << seed << "\n" << sent << "to\n" << received;
  }

  /// Messages that were read where they lie since this was last asked.
  int mapped() { return sharing_.mapped.exchange(0); }

  /// A barrier that moves messages on.
  void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    for (int done = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) progress();
  }

  int private_partner() { return core_->ranks.of(comm_)->private_rank(partner()); }

  static constexpr int tag_ = 4;
  HostSharing sharing_;
};

}  // namespace typewarp::test
