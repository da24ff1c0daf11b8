// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/user_buffer.hpp"
#include "transport/host_sharing.hpp"
#include "transport/protocol_fixture.hpp"

#include <cstdint>
#include <limits>
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
    if (!HostSharing::possible()) GTEST_SKIP() << "needs processes that may read each other's memory";
    share(small_pieces);
  }

  void share(const SessionOptions& options) {
    state_.reset();
    session_.reset();
    start(options);
    state_->share_by(sharing_);
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

  /// A receiver that the test plays: it takes the descriptor, and answers as it likes.
  transport::Rts take_descriptor() {
    transport::RtsBytes bytes{};
    MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_PACKED, partner(), tag_, comm_,
             MPI_STATUS_IGNORE);
    return transport::Rts::decode(bytes.data(), state_->comm.identity()).value();
  }
  void answer(const transport::Rts& descriptor, transport::Cts::Code verdict, std::int64_t piece_bytes = 0) {
    const transport::Cts clearance{verdict, data_tag, piece_bytes};
    MPI_Send(&clearance, sizeof(clearance), MPI_PACKED, descriptor.sender, descriptor.reply_tag,
             state_->comm.get());
  }
  /// What the sender sends after an answer, while this moves it on.
  std::vector<std::byte> note(Request& sending) {
    std::vector<std::byte> bytes(100'000);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_PACKED, private_partner(), data_tag,
              state_->comm.get(), &request);
    MPI_Status status{};
    for (int done = 0; done == 0; MPI_Test(&request, &done, &status)) {
      if (sending.active()) static_cast<void>(sending.ready());
      progress();
    }
    bytes.resize(static_cast<std::size_t>(transport::received_bytes(status)));
    return bytes;
  }

  // Tags of the Session's own are taken from below.
  static constexpr int data_tag = 30'000;

  int private_partner() { return state_->comms.of(comm_)->private_rank(partner()); }

  static constexpr int tag_ = 4;
  HostSharing sharing_;
};

/// Messages that are packed into chunks which the receiver has mapped, in pieces of 256 bytes.
class DirectPieces : public Direct {
 protected:
  void SetUp() override {
    Direct::SetUp();
    if (IsSkipped()) return;
    sharing_.is_near = false;
    share_pieces(small_pieces, 1024);
  }

  void share_pieces(SessionOptions options, std::int64_t pool_bytes) {
    options.device_pool_bytes = pool_bytes;
    share(options);
    state_->profile.direct.pieces_from = 1001;
    state_->profile.direct.piece_cost = 0;
    state_->profile.direct.pieces_rate = std::numeric_limits<double>::infinity();
    state_->profile.direct.piece_bytes = piece_bytes;
  }

  transport::DevicePool& pool() {
    const transport::MessageBuffer side({"test", "buffer", "count"}, &rank_, 1, commit(Named::int_), comm_,
                                        false, nullptr);
    return *state_->device_pools.named(side);
  }

  static constexpr std::int64_t piece_bytes = 256;
  static int pieces_of(std::int64_t bytes) {
    return static_cast<int>((bytes + piece_bytes - 1) / piece_bytes);
  }
  /// Pieces that were read since this was last asked.
  int unpacked() { return sharing_.unpacked.exchange(0); }
  void settle() {
    while (state_->progress.active() != 0) progress();
    meet();
  }
};

}  // namespace typewarp::test
