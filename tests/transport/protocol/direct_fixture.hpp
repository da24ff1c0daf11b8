// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/host_sharing.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"
#include "transport/protocol/get/shared_chunks.hpp"
#include "transport/protocol_fixture.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace typewarp::test {

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
    share(small_fragments);
  }

  void share(const SessionOptions& options) {
    stop();
    start(options);
    state_->share_by(sharing_);
  }

  /// Messages that were read where they lie since this was last asked.
  int mapped() { return sharing_.mapped.exchange(0); }

  /// A receiver that the test plays: it takes the descriptor, and answers as it likes.
  transport::Rts take_descriptor() {
    transport::RtsBytes bytes{};
    MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_PACKED, partner(), tag, comm_,
             MPI_STATUS_IGNORE);
    return transport::Rts::decode(bytes.data(), state_->comm.identity(), private_partner()).value();
  }
  using Code = transport::Cts::Code;
  void answer(const transport::Rts& descriptor, transport::Cts cts) {
    cts.data_tag = data_tag;
    MPI_Send(&cts, sizeof(cts), MPI_PACKED, descriptor.sender, descriptor.reply_tag, state_->comm.get());
  }
  static transport::Cts says(Code code) { return {code, transport::get_row.id, 0, 0, 0}; }
  static transport::Cts asks_for(transport::AskedFor what) {
    return {Code::asks, transport::get_row.id, static_cast<std::int32_t>(what), 0, 0};
  }
  static transport::Cts wants_fragments(const transport::ProtocolRow& by, std::int64_t bytes) {
    return {Code::fragments, by.id, 0, 0, bytes};
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

  HostSharing sharing_;
};

/// Messages that are packed into chunks which the receiver has mapped, in fragments of 256 bytes.
class DirectFragments : public Direct {
 protected:
  void SetUp() override {
    Direct::SetUp();
    if (IsSkipped()) return;
    sharing_.is_near = false;
    share_fragments(small_fragments, 1024);
  }

  void share_fragments(SessionOptions options, std::int64_t pool_bytes) {
    options.device_pool_bytes = pool_bytes;
    share(options);
    state_->profile.direct.fragments_from = 1001;
    state_->profile.direct.fragment_cost = 0;
    state_->profile.direct.fragments_rate = std::numeric_limits<double>::infinity();
    state_->profile.direct.fragment_bytes = fragment_bytes;
  }

  transport::DevicePool& pool() { return *state_->device_pools.named(side_of(&rank_, commit(Named::int_))); }

  static constexpr std::int64_t fragment_bytes = 256;
  static int fragments_of(std::int64_t bytes) {
    return static_cast<int>((bytes + fragment_bytes - 1) / fragment_bytes);
  }
  /// Fragments that were read since this was last asked.
  int unpacked() { return sharing_.unpacked.exchange(0); }
};

}  // namespace typewarp::test
