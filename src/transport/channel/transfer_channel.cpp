// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/transfer_channel.hpp"

#include "transport/tuning/policy.hpp"

namespace typewarp::transport {
namespace {

class TransferSend final : public SendChannel {
 public:
  /// A null link: by the MPI. A null pool: in place.
  TransferSend(GpuChannel* link, FixedPool* pool, const Peer& to) : link_(link), pool_(pool), to_(to) {}

  bool in_place() const noexcept override { return pool_ == nullptr; }
  std::int64_t longest() const override { return pool_->chunk_bytes(); }
  Block acquire() override { return pool_->take(); }
  // While later fragments are packed, earlier ones cross the link.
  void pack(const MessageBuffer& side, ByteRange range, std::byte* to, std::optional<gpu::Event>& done,
            std::int64_t number) override {
    if (link_ == nullptr) return side.pack(range, to, done, number);
    side.pack_near(range, to, done, number,
                   number > 0 ? gpu::OccupancyLimit::link : gpu::OccupancyLimit::none);
  }
  void send(std::int64_t number, const std::byte* data, std::int64_t bytes) override {
    sent_[number] = start(data, bytes);
  }
  bool released(std::int64_t number) override { return sent_[number].test(); }
  void send_failure() override { failure_ = start(nullptr, 0); }
  bool failure_left() override { return failure_.test(); }

 private:
  Transfer start(const std::byte* data, std::int64_t bytes) {
    if (link_ == nullptr) return start_send(data, bytes, to_);
    return link_->start_send(data, bytes, to_.rank, to_.tag);
  }

  GpuChannel* link_;
  FixedPool* pool_;
  Peer to_;
  PerFragment<Transfer> sent_;
  Transfer failure_;
};

class TransferReceive final : public ReceiveChannel {
 public:
  /// The same; the tag of `from` is not used.
  TransferReceive(GpuChannel* link, FixedPool* pool, const Peer& from, std::int64_t fragment_bytes)
      : link_(link), pool_(pool), from_(from), fragment_bytes_(fragment_bytes) {}

  std::int64_t fragment_bytes() const noexcept override { return fragment_bytes_; }
  bool in_place() const noexcept override { return pool_ == nullptr; }
  bool needs_memory() const noexcept override { return pool_ != nullptr; }
  Block acquire() override { return pool_->take(); }
  void receive(std::int64_t slot, std::byte* data, std::int64_t bytes, int tag) override {
    posted_[slot] = {link_ == nullptr ? start_receive(data, bytes, {from_.rank, tag, from_.comm})
                                      : link_->start_receive(data, bytes, from_.rank, tag),
                     bytes};
  }
  Arrival arrived(std::int64_t slot) override {
    Posting& posting = posted_[slot];
    std::int64_t bytes = 0;
    if (!posting.transfer.test(&bytes)) return Arrival::under_way;
    return bytes != 0 && bytes == posting.bytes ? Arrival::whole : Arrival::nothing;
  }
  void cancel(std::int64_t slot) override { posted_[slot].transfer.cancel(); }
  void unpack(std::int64_t, const MessageBuffer& side, ByteRange range, const std::byte* data,
              std::optional<gpu::Event>& done, std::int64_t number) override {
    side.unpack(range, data, done, number);
  }

 private:
  struct Posting {
    Transfer transfer;
    std::int64_t bytes = 0;
  };

  GpuChannel* link_;
  FixedPool* pool_;
  Peer from_;
  std::int64_t fragment_bytes_;
  PerFragment<Posting> posted_;
};

}  // namespace

std::unique_ptr<SendChannel> pinned_mpi_send(FixedPool& pool, const MessageBuffer& side, const Peer& to) {
  return std::make_unique<TransferSend>(nullptr, side.in_place() ? nullptr : &pool, to);
}

std::unique_ptr<ReceiveChannel> pinned_mpi_receive(FixedPool& pool, const MessageBuffer& side, const Rts& rts,
                                                   std::int64_t longest_of_sender, const PrivateComm& comm) {
  const std::int64_t longest = side.in_place() ? 0 : pool.chunk_bytes();
  return std::make_unique<TransferReceive>(nullptr, side.in_place() ? nullptr : &pool,
                                           comm.peer(rts.sender, MPI_ANY_TAG),
                                           shorter_fragment(longest, longest_of_sender, rts.bytes));
}

std::unique_ptr<SendChannel> link_send(const GpuPath& path, const Peer& to) {
  return std::make_unique<TransferSend>(path.link, path.pool == nullptr ? nullptr : &path.pool->outgoing(),
                                        to);
}

std::unique_ptr<ReceiveChannel> link_receive(const GpuPath& path, const Rts& rts,
                                             std::int64_t longest_of_sender, const GpuChannelPolicy& policy) {
  const std::int64_t longest = shorter_fragment(path.longest(), longest_of_sender, 0);
  return std::make_unique<TransferReceive>(path.link, path.pool == nullptr ? nullptr : &path.pool->incoming(),
                                           Peer{rts.sender, MPI_ANY_TAG, MPI_COMM_NULL},
                                           longest == 0 ? rts.bytes : policy.fragment_of(rts.bytes, longest));
}

}  // namespace typewarp::transport
