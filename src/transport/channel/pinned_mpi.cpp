// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/pinned_mpi.hpp"

#include "transport/channel/transfer_channel.hpp"
#include "transport/tuning/fragment_length.hpp"

namespace typewarp::transport {
namespace {

class PinnedMpiSend final : public TransferSend {
 public:
  PinnedMpiSend(FixedPool& pool, const MessageBuffer& side, const Peer& to)
      : pool_(pool), in_place_(side.in_place()), to_(to) {}

  bool in_place() const noexcept override { return in_place_; }
  Block acquire() override { return pool_.take(); }
  void pack(const MessageBuffer& side, ByteRange range, std::byte* to, std::optional<gpu::Event>& done,
            std::int64_t number) override {
    side.pack(range, to, done, number);
  }

 private:
  Transfer start(const std::byte* data, std::int64_t bytes) override { return start_send(data, bytes, to_); }

  FixedPool& pool_;
  bool in_place_;
  Peer to_;
};

class PinnedMpiReceive final : public TransferReceive {
 public:
  PinnedMpiReceive(FixedPool& pool, const MessageBuffer& side, const Rts& rts, const PrivateComm& comm)
      : pool_(pool), in_place_(side.in_place()), comm_(comm), sender_(rts.sender) {
    fragment_bytes_ = shorter_fragment(in_place_ ? 0 : pool.chunk_bytes(), rts.piece_limit, rts.bytes);
  }

  Cts::Code verdict() const override { return Cts::Code::granted; }
  std::int64_t fragment_bytes() const noexcept override { return fragment_bytes_; }
  bool in_place() const noexcept override { return in_place_; }
  bool needs_memory() const noexcept override { return !in_place_; }
  Block acquire() override { return pool_.take(); }

 private:
  Transfer start(std::byte* data, std::int64_t bytes, int tag) override {
    return start_receive(data, bytes, comm_.peer(sender_, tag));
  }

  FixedPool& pool_;
  bool in_place_;
  const PrivateComm& comm_;
  int sender_;
  std::int64_t fragment_bytes_;
};

}  // namespace

std::unique_ptr<SendChannel> pinned_mpi_send(FixedPool& pool, const MessageBuffer& side, const Peer& to) {
  return std::make_unique<PinnedMpiSend>(pool, side, to);
}

std::unique_ptr<ReceiveChannel> pinned_mpi_receive(FixedPool& pool, const MessageBuffer& side, const Rts& rts,
                                                   const PrivateComm& comm) {
  return std::make_unique<PinnedMpiReceive>(pool, side, rts, comm);
}

}  // namespace typewarp::transport
