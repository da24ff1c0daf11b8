// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/eager/eager_send.hpp"

#include "transport/memory/host_buffer.hpp"

#include <typewarp/host.hpp>

namespace typewarp::transport {
namespace {

constinit Traffic sent;

const char* sends(const SendCase& message) {
  if (!message.receiver) return "the receiver takes no announcements";
  return is_plain(message.side.bytes, message.session.options) ? "up to the eager limit" : nullptr;
}

/// One blocking call of the MPI. Longer packed messages feel an operation no more.
bool send_at_once(const SendPath& path, const Peer& to) {
  constexpr int one_thread = 1;
  const MessageBuffer& side = path.message.side;
  if (!side.in_place() && side.bytes > longest_packed_at_once) return false;
  tell("send", side.bytes, to.rank, path.choice);
  if (side.in_place()) {
    send(side.route.first, side.bytes, to);
  } else {
    const HostBuffer packed(side.bytes);
    host::pack(side.buffer, side.count, side.plan, packed.data(), {0, side.bytes}, one_thread);
    send(packed.data(), side.bytes, to);
  }
  sent.count(side.bytes);
  return true;
}

}  // namespace

constinit const ProtocolRow eager_row{
    .name = "eager", .sent = &sent, .sends = sends, .send_at_once = send_at_once};

void EagerSend::start(SendMode mode, const Packed& packed) {
  packed_ = packed;
  message_ = start_send(data(), side_.bytes, peer(), mode);
  if (peer().rank != MPI_PROC_NULL) sent.count(side_.bytes);
}

bool EagerSend::run(bool block) {
  MPI_Status end{};
  if (!message_.finish(block, withdrawn_ ? &end : MPI_STATUS_IGNORE)) return false;
  status_.cancelled = withdrawn_ && is_cancelled(end);
  return true;
}

// Where the packed bytes lie, all written.
const std::byte* EagerSend::data() {
  if (packed_.staging) return packed_.staging->data() + packed_.place;
  if (!side_.on_device()) side_.turn().reached(true);
  if (side_.in_place()) return side_.route.first;
  const auto staging = std::make_shared<const Staging>(side_.route.kind, side_.bytes);
  side_.pack_now(staging->data());
  packed_ = {staging, 0};
  return staging->data();
}

}  // namespace typewarp::transport
