// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/ring/ring.hpp"
#include "transport/protocol_fixture.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace typewarp::test {

/// Whether the system has files without a name that are opened by way of /proc.
inline bool has_nameless_memory() {
  const int file = memfd_create("typewarp_test", MFD_CLOEXEC);
  const int again = open(("/proc/self/fd/" + std::to_string(file)).c_str(), O_RDWR | O_CLOEXEC);
  if (file >= 0) close(file);
  if (again >= 0) close(again);
  return file >= 0 && again >= 0;
}

/// Messages of 509 bytes and more of host memory, which go through rings.
class ThroughRings : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!has_nameless_memory()) GTEST_SKIP() << "needs processes that may share memory";
    start(SessionOptions{.eager_bytes = 509}, true);
    ASSERT_TRUE(rings().reach(state_->comm.rank()));
    state_->profile.ring.least_bytes = state_->profile.ring.least_in_place = 509;
  }

  transport::Rings& rings() { return transport::rings_of(*state_); }
  int peer() { return state_->comms.of(comm_)->private_rank(partner()); }

  // There and back, by send and recv.
  void converse(const Datatype& sent, const Datatype& received) {
    UserBuffer mine(sent, 1, static_cast<std::uint64_t>(rank_) + 1);
    UserBuffer target(received, 1, 7);
    UserBuffer theirs(sent, 1, static_cast<std::uint64_t>(partner()) + 1);
    UserBuffer expected(received, 1, 7);
    Status status;
    if (rank_ % 2 == 0) send(mine.origin(), 1, commit(sent), partner(), tag, comm_, nullptr);
    status = recv(target.origin(), 1, commit(received), partner(), tag, comm_, nullptr);
    if (rank_ % 2 != 0) send(mine.origin(), 1, commit(sent), partner(), tag, comm_, nullptr);
    EXPECT_EQ(status.source, partner());
    EXPECT_EQ(status.tag, tag);
    EXPECT_EQ(status.bytes, sent.size());
    scatter(gathered(theirs, sent, 1), expected, received, 1);
    EXPECT_EQ(target.bytes(), expected.bytes()) << sent << "to\n" << received;
  }

  /// Of a message to this rank itself.
  transport::Rts announced(std::int64_t bytes, const transport::RingKey& ring) const {
    transport::Rts rts{.bytes = bytes, .sender = state_->comm.rank()};
    rts.offers.add(transport::ring_row.id, ring);
    return rts;
  }

  static constexpr std::int64_t long_bytes = 300'000;  ///< more than a ring holds
};

}  // namespace typewarp::test
