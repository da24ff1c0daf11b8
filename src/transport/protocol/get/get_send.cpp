// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/wire.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"
#include "transport/protocol/get/shared_chunks.hpp"
#include "transport/tuning/policy.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

/// Keeps the memory until the receiver has read it, and sends what it asks for.
class GetSend final : public KeySend {
 public:
  GetSend(const SendContext& message, MessageBuffer side, const DirectOffer& offer,
          const plan::WireName& layout, const std::optional<PoolOffer>& pool)
      : KeySend(message, std::move(side), pool), offer_(offer), layout_(layout) {}

 private:
  void announce(Offers& offers) override {
    offer_.readable = readable() ? 1 : 0;
    std::span<const std::byte> wire = layout_.short_wire;
    if (wire.size() > DirectOffer::longest_inline_wire) wire = {};
    offers.add(get_row.id, offer_, wire);
    KeySend::announce(offers);
  }

  bool answered() override {
    if (reply_ == PendingReply::ready && !readable()) return false;
    if (reply_ != PendingReply::none) send_reply();
    return cts_.arrived();
  }

  bool serve() override {
    const bool for_wire = cts_.cts.detail == static_cast<std::int32_t>(AskedFor::wire);
    const bool for_ready = cts_.cts.detail == static_cast<std::int32_t>(AskedFor::ready);
    if (!cts_.wants(get_row) || !(for_wire || for_ready)) cts_.refuse("asks for what was not offered");
    if (given_up()) {
      send_failure();
    } else {
      reply_ = for_wire ? PendingReply::wire : PendingReply::ready;
    }
    return !given_up();
  }

  void drop() override {
    KeySend::drop();
    if (std::exchange(reply_, PendingReply::none) != PendingReply::none) send_failure();
  }

  bool left() override { return KeySend::left() && wire_sent_.test() && note_.test(); }

  // Posts the receive of the next answer first. If this throws, the reply is still pending.
  void send_reply() {
    if (reply_ == PendingReply::wire)
      wire_ = plan::to_wire(side_.plan, remote_plan_policy.longest_wire).value();
    cts_.await();
    try {
      if (reply_ == PendingReply::wire) {
        wire_sent_ = start_send(wire_.data(), std::ssize(wire_), cts_.data());
      } else {
        note_ = start_send(&ready, 1, cts_.data());
      }
    } catch (...) {
      cts_.cancel();
      throw;
    }
    reply_ = PendingReply::none;
  }

  void send_failure() { note_ = start_send(nullptr, 0, cts_.data()); }

  static constexpr std::byte ready{1};

  DirectOffer offer_;
  const plan::WireName& layout_;  ///< kept with the plan

  std::vector<std::byte> wire_;
  Posted wire_sent_;
  Posted note_;
  /// What the receiver waits for: the plan's wire, or that the memory is readable.
  enum class PendingReply { none, wire, ready };
  PendingReply reply_ = PendingReply::none;
};

const char* sends(const SendCase& message) {
  return may_offer(message) ? "the receiver can map the memory" : nullptr;
}

const char* receives(const ReceiveContext& message) {
  const std::optional<DirectOffer> offer = DirectOffer::of(message.rts);
  if (!offer || !may_map(message) || comes_by_engines(message, &offer->memory)) return nullptr;
  if (const std::optional<PoolOffer> pool = pool_offer(message.rts)) {
    const MessageBuffer& side = message.side;
    const DirectPolicy& policy = message.session.profile.direct;
    const std::int64_t run = plan::average_run(side.plan, side.count, policy.sector);
    const bool near = message.session.ipc.sharing().near(pool->chunks, side);
    if (policy.prefers_fragments(message.rts.bytes, std::min<std::int64_t>(run, pool->run), near))
      return nullptr;
  }
  return "one kernel needs less time than fragments";
}

// Null if other ranks cannot map the memory, or the layout cannot be sent.
std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  SessionState& session = *message.session;
  const std::optional<plan::Bounds> span = plan::bounds(side.plan, side.count);
  if (!span) return nullptr;
  const std::optional<gpu::SharedMemory> memory = session.ipc.sharing().name(side, *span);
  const plan::WireName* const layout = memory ? plan::wire_name(side.plan) : nullptr;
  if (layout == nullptr) return nullptr;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const DirectOffer offer{.memory = *memory,
                          .count = side.count,
                          .plan = layout->identity,
                          .wire_bytes = static_cast<std::int32_t>(std::min(layout->bytes, most)),
                          .readable = 0};
  std::optional<PoolOffer> pool;
  if (side.bytes >= session.profile.direct.fragments_from) pool = pool_for(session, side);
  return std::make_shared<GetSend>(message, std::move(side), offer, *layout, pool);
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  return std::make_unique<RendezvousGet>(message);
}

}  // namespace

constinit const ProtocolRow get_row{
    .name = "direct",
    .sent = &sent,
    .id = 2,
    .sends = sends,
    .receives = receives,
    .start = start,
    .on_rts = on_rts,
    .prepare = [](SessionState&) -> std::unique_ptr<ChannelState> { return std::make_unique<KnownPlans>(); }};

}  // namespace typewarp::transport
