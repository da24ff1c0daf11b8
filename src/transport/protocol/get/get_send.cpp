// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/wire.hpp"
#include "transport/protocol/fragments/key_send.hpp"
#include "transport/protocol/get/rendezvous_get.hpp"
#include "transport/tuning/policy.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

/// Keeps the memory until it has been read, and sends what the answers ask for.
class GetSend final : public KeySend {
 public:
  using KeySend::KeySend;

 private:
  bool answered() override {
    if (reply_ == PendingReply::ready && !readable()) return false;
    if (reply_ != PendingReply::none) send_reply();
    return cts_.arrived();
  }

  bool serve() override {
    if (given_up()) {
      send_failure();
    } else {
      reply_ = cts_.cts.verdict == Code::send_wire ? PendingReply::wire : PendingReply::ready;
    }
    return !given_up();
  }

  void drop() override {
    KeySend::drop();
    if (std::exchange(reply_, PendingReply::none) != PendingReply::none) send_failure();
  }

  bool left() override { return KeySend::left() && wire_sent_.test() && note_.test(); }

  // Posts the receive of the next answer before that can come. If this throws, the reply is still to be sent.
  void send_reply() {
    if (reply_ == PendingReply::wire) wire_ = plan::to_wire(side_.plan, direct_policy.longest_wire).value();
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

  std::vector<std::byte> wire_;
  Posted wire_sent_;
  Posted note_;
  /// What the receiver waits for: the layout, or to be told that it may read.
  enum class PendingReply { none, wire, ready };
  PendingReply reply_ = PendingReply::none;
};

// Of all of the message, not readable yet; nothing where others cannot map it, or be told its layout.
std::optional<RemoteKey> key_to(const MessageBuffer& side, const Ipc& sharing) {
  const std::optional<plan::Bounds> span = plan::bounds(side.plan, side.count);
  if (!span) return std::nullopt;
  const std::optional<gpu::SharedMemory> memory = sharing.name(side, *span);
  const plan::WireName* const name = memory ? plan::wire_name(side.plan) : nullptr;
  if (name == nullptr) return std::nullopt;
  RemoteKey key{};
  key.whole = true;
  key.memory = *memory;
  key.count = side.count;
  key.plan = name->identity;
  key.wire_bytes = name->bytes;
  if (name->bytes > std::int64_t{RemoteKey::longest_inline_wire}) return key;
  key.inline_bytes = static_cast<std::int32_t>(name->bytes);
  std::ranges::copy(name->short_wire, key.inline_wire.begin());
  return key;
}

const char* sends(const SendCase& message, const SessionOptions& options, const Profile&) {
  return message.ipc && message.bytes >= options.direct_bytes ? "the receiver can map the memory" : nullptr;
}

const char* receives(const ReceiveCase& message, const Profile& profile) {
  if (!message.rts_whole || !message.ipc || !message.fits || message.by_engines) return nullptr;
  const bool fragments_are_faster =
      message.rts_chunks && profile.direct.prefers_fragments(message.bytes, message.run, message.near);
  return fragments_are_faster ? nullptr : "one kernel needs less time than fragments";
}

std::shared_ptr<RendezvousSend> start(const SendContext& message, MessageBuffer& side) {
  SessionState& session = *message.session;
  std::optional<RemoteKey> key = key_to(side, session.ipc.sharing());
  if (!key) return nullptr;
  if (side.bytes >= session.profile.direct.fragments_from) add_pool(*key, session, side);
  return std::make_shared<GetSend>(message, std::move(side), *key);
}

std::unique_ptr<ReceiveProtocol> on_rts(const ReceiveContext& message) {
  return std::make_unique<RendezvousGet>(message);
}

}  // namespace

constinit const ProtocolRow get_row{
    .name = "direct", .sent = &sent, .sends = sends, .receives = receives, .start = start, .on_rts = on_rts};

}  // namespace typewarp::transport
