// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/pinned_mpi.hpp"

#include "transport/channel/transfer_channel.hpp"
#include "transport/tuning/fragment_length.hpp"

namespace typewarp::transport {
namespace {

class PinnedMpiSend final : public TransferSend {
 public:
  PinnedMpiSend(Chunks& pool, const Side& side, const Peer& to)
      : pool_(pool), in_place_(side.in_place()), to_(to) {}

  bool in_place() const noexcept override { return in_place_; }
  Chunk acquire() override { return pool_.take(); }
  void pack(const Side& side, ByteRange range, std::byte* to, std::optional<cuda::Event>& done,
            std::int64_t number) override {
    side.pack(range, to, done, number);
  }

 private:
  Transfer start(const std::byte* data, std::int64_t bytes) override { return start_send(data, bytes, to_); }

  Chunks& pool_;
  bool in_place_;
  Peer to_;
};

class PinnedMpiReceive final : public TransferReceive {
 public:
  PinnedMpiReceive(Chunks& pool, const Side& side, const Descriptor& rts, const PrivateComm& comm)
      : pool_(pool), in_place_(side.in_place()), comm_(comm), sender_(rts.sender) {
    fragment_bytes_ = shorter_fragment(in_place_ ? 0 : pool.chunk_bytes(), rts.piece_limit, rts.bytes);
  }

  Clearance::Verdict verdict() const override { return Clearance::Verdict::granted; }
  std::int64_t fragment_bytes() const noexcept override { return fragment_bytes_; }
  bool in_place() const noexcept override { return in_place_; }
  bool needs_memory() const noexcept override { return !in_place_; }
  Chunk acquire() override { return pool_.take(); }

 private:
  Transfer start(std::byte* data, std::int64_t bytes, int tag) override {
    return start_receive(data, bytes, comm_.peer(sender_, tag));
  }

  Chunks& pool_;
  bool in_place_;
  const PrivateComm& comm_;
  int sender_;
  std::int64_t fragment_bytes_;
};

}  // namespace

std::unique_ptr<SendChannel> pinned_mpi_send(Chunks& pool, const Side& side, const Peer& to) {
  return std::make_unique<PinnedMpiSend>(pool, side, to);
}

std::unique_ptr<ReceiveChannel> pinned_mpi_receive(Chunks& pool, const Side& side, const Descriptor& rts,
                                                   const PrivateComm& comm) {
  return std::make_unique<PinnedMpiReceive>(pool, side, rts, comm);
}

}  // namespace typewarp::transport
