// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/link_channel.hpp"

#include "transport/channel/transfer_channel.hpp"
#include "transport/tuning/fragment_length.hpp"

#include <algorithm>

namespace typewarp::transport {
namespace {

class LinkSend final : public TransferSend {
 public:
  LinkSend(const GpuPath& way, const Peer& to) : way_(way), to_(to) {}

  bool in_place() const noexcept override { return way_.pool == nullptr; }
  Block acquire() override { return way_.pool->outgoing().take(); }
  // Behind the first fragment others cross the link meanwhile.
  void pack(const MessageBuffer& side, ByteRange range, std::byte* to, std::optional<gpu::Event>& done,
            std::int64_t number) override {
    side.pack_near(range, to, done, number,
                   number > 0 ? gpu::OccupancyLimit::link : gpu::OccupancyLimit::none);
  }

 private:
  Transfer start(const std::byte* data, std::int64_t bytes) override {
    return way_.link->start_send(data, bytes, to_.rank, to_.tag);
  }

  GpuPath way_;
  Peer to_;
};

class LinkReceive final : public TransferReceive {
 public:
  LinkReceive(const GpuPath& way, const Rts& rts, const GpuChannelPolicy& policy)
      : way_(way), sender_(rts.sender) {
    const std::int64_t theirs = std::max(rts.link_bytes, 0);
    const std::int64_t longest = shorter_fragment(way.longest(), theirs, 0);
    fragment_bytes_ = longest == 0 ? rts.bytes : policy.piece_of(rts.bytes, longest);
  }

  Cts::Code verdict() const override { return Cts::Code::linked; }
  std::int64_t fragment_bytes() const noexcept override { return fragment_bytes_; }
  bool in_place() const noexcept override { return way_.pool == nullptr; }
  bool needs_memory() const noexcept override { return !in_place(); }
  Block acquire() override { return way_.pool->incoming().take(); }

 private:
  Transfer start(std::byte* data, std::int64_t bytes, int tag) override {
    return way_.link->start_receive(data, bytes, sender_, tag);
  }

  GpuPath way_;
  int sender_;
  std::int64_t fragment_bytes_;
};

}  // namespace

std::unique_ptr<SendChannel> link_send(const GpuPath& way, const Peer& to) {
  return std::make_unique<LinkSend>(way, to);
}

std::unique_ptr<ReceiveChannel> link_receive(const GpuPath& way, const Rts& rts,
                                             const GpuChannelPolicy& policy) {
  return std::make_unique<LinkReceive>(way, rts, policy);
}

}  // namespace typewarp::transport
