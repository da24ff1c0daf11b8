// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ipc_channel.hpp"

#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

const std::byte* bytes_of(const FragmentNote& note) { return reinterpret_cast<const std::byte*>(&note); }
std::byte* bytes_of(FragmentNote& note) { return reinterpret_cast<std::byte*>(&note); }

class IpcSend final : public SendChannel {
 public:
  IpcSend(DevicePool& pool, bool crosses, const Peer& to, const Peer& answers)
      : pool_(pool), crosses_(crosses), to_(to), answers_(answers) {}

  std::int64_t longest() const override { return pool_.outgoing().chunk_bytes(); }
  Block acquire() override { return pool_.outgoing().take(); }
  // Behind the first fragment others cross the link meanwhile, if there is one in between.
  void pack(const MessageBuffer& side, ByteRange range, std::byte* to, std::optional<gpu::Event>& done,
            std::int64_t number) override {
    side.pack_near(range, to, done, number,
                   number > 0 && crosses_ ? gpu::OccupancyLimit::link : gpu::OccupancyLimit::none);
  }

  void send(std::int64_t number, const std::byte* data, std::int64_t) override {
    Lent& lent = lent_[number];
    lent.note = {number, pool_.place(data)};
    lent.read = false;
    lent.answered = start_receive(bytes_of(lent.answer), sizeof(FragmentNote), answers_);
    lent.told = start_send(bytes_of(std::as_const(lent.note)), sizeof(FragmentNote), to_);
  }

  // Each fragment is answered once, in whatever order they were read.
  bool released(std::int64_t number) override {
    if (!lent_[number].told.test()) return false;
    for (Lent& one : lent_) {
      if (one.answered.active() && one.answered.test()) note_read(one.answer.number);
    }
    return lent_[number].read && !lent_[number].answered.active();
  }

  void send_failure() override { failure_ = start_send(nullptr, 0, to_); }
  bool failure_left() override { return failure_.test(); }

 private:
  void note_read(std::int64_t number) {
    Lent& lent = lent_[number];
    if (number < 0 || lent.note.number != number)
      throw Error("typewarp: the receiver, rank " + std::to_string(to_.rank) +
                  " of the Session, has read a fragment that it was not given");
    lent.read = true;
  }

  struct Lent {
    FragmentNote note{};
    FragmentNote answer{};  ///< of some fragment that has been read
    Posted told;
    Posted answered;
    bool read = false;
  };

  DevicePool& pool_;
  bool crosses_;
  Peer to_, answers_;
  PerFragment<Lent> lent_;
  Posted failure_;
};

class IpcReceive final : public ReceiveChannel {
 public:
  IpcReceive(std::unique_ptr<IpcMapping> mapped, bool near, DevicePools& own, const MessageBuffer& side,
             const Rts& rts, const PrivateComm& comm, const DirectPolicy& policy)
      : mapped_(std::move(mapped)),
        near_(near),
        own_(own),
        side_(side),
        comm_(comm),
        sender_(rts.sender),
        reply_tag_(rts.reply_tag),
        pool_bytes_(rts.offer->chunks.size - rts.offer->chunks.offset),
        fragment_bytes_(policy.fragment_length(rts.bytes, rts.offer->chunk_bytes)) {}

  Cts::Code verdict() const override { return near_ ? Cts::Code::shared : Cts::Code::shared_far; }
  std::int64_t fragment_bytes() const noexcept override { return fragment_bytes_; }

  void receive(std::int64_t slot, std::byte*, std::int64_t, int tag) override {
    Borrowed& borrowed = borrowed_[slot];
    borrowed.told_of = false;
    borrowed.told = start_receive(bytes_of(borrowed.note), sizeof(FragmentNote), comm_.peer(sender_, tag));
  }
  Arrival arrived(std::int64_t slot) override {
    Borrowed& borrowed = borrowed_[slot];
    if (!borrowed.told.active()) return Arrival::nothing;
    MPI_Status status{};
    if (!borrowed.told.test(&status)) return Arrival::under_way;
    borrowed.told_of = received_bytes(status) == std::int64_t{sizeof(FragmentNote)};
    return borrowed.told_of ? Arrival::whole : Arrival::nothing;
  }
  void cancel(std::int64_t slot) override { borrowed_[slot].told.cancel(); }

  void unpack(std::int64_t slot, const MessageBuffer&, ByteRange range, const std::byte*,
              std::optional<gpu::Event>& done, std::int64_t number) override {
    Borrowed& borrowed = borrowed_[slot];
    const std::int64_t most = pool_bytes_ - (range.end - range.begin);
    if (borrowed.note.place < 0 || borrowed.note.place > most) {
      throw Error("typewarp: a fragment lies outside of the chunks of its sender");
    }
    if (mapped_->wants_near()) take_near(borrowed);
    mapped_->unpack(range, borrowed.note.place, borrowed.near.data(), done, number);
  }

  bool release(std::int64_t slot) override {
    Borrowed& borrowed = borrowed_[slot];
    borrowed.near = Block();
    if (std::exchange(borrowed.told_of, false)) {
      borrowed.answered = start_send(bytes_of(std::as_const(borrowed.note)), sizeof(FragmentNote),
                                     comm_.peer(sender_, reply_tag_));
    }
    return borrowed.answered.test();
  }

 private:
  struct Borrowed {
    FragmentNote note{};  ///< of the sender; then the answer to it
    Posted told;
    bool told_of = false;  ///< and not answered yet
    Block near;
    Posted answered;
  };

  // Nobody waits for it: there may be none, and then it takes longer.
  void take_near(Borrowed& borrowed) {
    DevicePool* const own = own_.named(side_);
    if (own != nullptr && own->fragment_bytes() >= fragment_bytes_) borrowed.near = own->incoming().take();
  }

  std::unique_ptr<IpcMapping> mapped_;
  bool near_;
  DevicePools& own_;
  const MessageBuffer& side_;
  const PrivateComm& comm_;
  int sender_;
  int reply_tag_;
  std::int64_t pool_bytes_;
  std::int64_t fragment_bytes_;
  PerFragment<Borrowed> borrowed_;
};

}  // namespace

std::unique_ptr<SendChannel> ipc_send(DevicePool& pool, bool crosses, const Peer& to, const Peer& answers) {
  return std::make_unique<IpcSend>(pool, crosses, to, answers);
}

std::unique_ptr<ReceiveChannel> ipc_receive(const IpcPeers& peers, DevicePools& own,
                                            const MessageBuffer& side, const Rts& rts,
                                            const PrivateComm& comm, const DirectPolicy& policy) {
  std::unique_ptr<IpcMapping> mapped;
  try {
    mapped = peers.sharing().map_chunks(rts.offer->chunks, side);
  } catch (const InvalidArgument&) {
    return nullptr;
  }
  if (mapped == nullptr) return nullptr;
  const bool near = peers.sharing().near(rts.offer->chunks, side);
  return std::make_unique<IpcReceive>(std::move(mapped), near, own, side, rts, comm, policy);
}

}  // namespace typewarp::transport
