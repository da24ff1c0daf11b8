// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/get/shared_chunks.hpp"

#include "transport/channel/channel.hpp"
#include "transport/protocol/fragments/fragment_receiver.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

/// Tells the receiver where a fragment is, and the sender that it has been read. A note without bytes means
/// that the sender has failed.
struct FragmentNote {
  std::int64_t number;  ///< of the fragment in its message
  std::int64_t place;   ///< in the chunks
};

/// Cts::detail: the fragments cross a link between devices.
constexpr std::int32_t crosses_a_link = 1;

const std::byte* bytes_of(const FragmentNote& note) { return reinterpret_cast<const std::byte*>(&note); }
std::byte* bytes_of(FragmentNote& note) { return reinterpret_cast<std::byte*>(&note); }

class IpcSend final : public SendChannel {
 public:
  IpcSend(DevicePool& pool, bool crosses, const Peer& to, const Peer& answers)
      : pool_(pool), crosses_(crosses), to_(to), answers_(answers) {}

  std::int64_t longest() const override { return pool_.outgoing().chunk_bytes(); }
  Block acquire() override { return pool_.outgoing().take(); }
  // While later fragments are packed, earlier ones cross the link, if there is one.
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

  // Fragments are answered in the order in which they were read, which may be any.
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
  IpcReceive(std::unique_ptr<IpcMapping> mapped, const ReceiveContext& message, const PoolOffer& pool)
      : mapped_(std::move(mapped)),
        near_(message.session.ipc.sharing().near(pool.chunks, message.side)),
        own_(message.session.device_pools),
        side_(message.side),
        comm_(message.session.comm),
        sender_(message.rts.sender),
        reply_tag_(message.rts.reply_tag),
        pool_bytes_(pool.chunks.size - pool.chunks.offset),
        fragment_bytes_(message.session.profile.direct.fragment_length(message.rts.bytes, pool.chunk_bytes)) {
  }

  std::int32_t detail() const noexcept override { return near_ ? 0 : crosses_a_link; }
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

  // Optional: without such memory unpacking takes longer.
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

const char* sends(const SendCase& message) {
  if (!may_offer(message) || is_plain(message.side.bytes, message.session.options)) return nullptr;
  return "the receiver can map the pool, and not the memory";
}

const char* receives(const ReceiveContext& message) {
  if (!pool_offer(message.rts) || !may_map(message)) return nullptr;
  const auto whole = DirectOffer::of(message.rts);
  if (comes_by_engines(message, whole ? &whole->memory : nullptr)) return nullptr;
  return "the sender's pool can be mapped";
}

std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  const std::optional<PoolOffer> pool = pool_for(*message.session, side);
  return pool ? std::make_shared<KeySend>(message, std::move(side), pool) : nullptr;
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  const PoolOffer pool = *pool_offer(message.rts);
  std::unique_ptr<IpcMapping> mapped;
  try {
    mapped = message.session.ipc.sharing().map_chunks(pool.chunks, message.side);
  } catch (const InvalidArgument&) {
    return nullptr;
  }
  if (mapped == nullptr) return nullptr;
  return receive_fragments(message, std::make_unique<IpcReceive>(std::move(mapped), message, pool));
}

}  // namespace

constinit const ProtocolRow ipc_row{.name = "shared chunks",
                                    .sent = &sent,
                                    .id = 3,
                                    .sends = sends,
                                    .receives = receives,
                                    .start = start,
                                    .on_rts = on_rts};

std::optional<PoolOffer> pool_for(SessionState& session, const MessageBuffer& side) {
  DevicePool* const pool = session.device_pools.named(side);
  if (pool == nullptr) return std::nullopt;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t run = plan::average_run(side.plan, side.count, session.profile.direct.sector);
  return PoolOffer{*pool->name(), static_cast<std::int32_t>(pool->fragment_bytes()),
                   static_cast<std::int32_t>(std::min(run, most))};
}

std::optional<PoolOffer> pool_offer(const Rts& rts) {
  const auto offer = rts.offers.find<PoolOffer>(ipc_row.id);
  if (!offer || offer->run < 0 || offer->chunk_bytes <= 0) return std::nullopt;
  const gpu::SharedMemory& chunks = offer->chunks;
  const bool fine =
      chunks.offset >= 0 && chunks.offset <= chunks.size && offer->chunk_bytes <= chunks.size - chunks.offset;
  return fine ? offer : std::nullopt;
}

bool may_offer(const SendCase& message) {
  const SessionState& session = message.session;
  return message.side.bytes >= session.options.direct_bytes && session.ipc.reaches(*message.receiver) &&
         session.ipc.sharing().shares(message.side);
}

bool may_map(const ReceiveContext& message) {
  const IpcPeers& ipc = message.session.ipc;
  return message.rts.bytes <= message.side.bytes && ipc.reaches(message.rts.sender) &&
         ipc.sharing().shares(message.side);
}

bool comes_by_engines(const ReceiveContext& message, const gpu::SharedMemory* memory) {
  const SessionState& session = message.session;
  if (session.options.protocol != Protocol::automatic) return false;
  const bool of_another = message.rts.sender != session.comm.rank();
  return session.ipc.sharing().prefers_engines(message.side, message.rts.bytes,
                                               of_another ? memory : nullptr);
}

void KeySend::announce(Offers& offers) {
  if (pool_) offers.add(ipc_row.id, *pool_);
}

RendezvousSend::Carrier KeySend::carrier() {
  if (!cts_.wants(ipc_row)) return RendezvousSend::carrier();
  if (!pool_) cts_.refuse("asks for chunks that were not offered");
  const bool crosses = cts_.cts.detail == crosses_a_link;
  return {ipc_row, std::make_unique<IpcSend>(*session_.device_pools.named(side_), crosses, cts_.data(),
                                             cts_.answers())};
}

}  // namespace typewarp::transport
