// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/api/blocking.hpp"

#include "transport/mpi/wait_loop.hpp"
#include "transport/protocol/eager/eager_send.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/protocol/send.hpp"
#include "transport/request/truncated.hpp"

#include <typewarp/host.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::transport {
namespace {

/// The session, where this may be done at all.
SessionState* session_for(const Peer& peer) {
  SessionState* const session = sole();
  if (session == nullptr || peer.rank == MPI_PROC_NULL || !session->progress.idle()) return nullptr;
  if (session->options.time_limit != SessionOptions::no_time_limit) return nullptr;
  const CommState* const comm = session->comms.known_last(peer.comm);
  return comm != nullptr && comm->pending.empty() ? session : nullptr;
}

/// Host memory that no stream is using: pageable memory, which orders with none, or pinned.
bool usable(const MessageBuffer& side) {
  return !side.on_device() && (!side.route.in_stream_order || gpu::idle(side.stream));
}

/// The rest of a receive that has got `rts`, of which `status` says where it came from.
Status finish(SessionState& session, const MessageBuffer& side, const Peer& from, const Rts& rts,
              Status status) {
  const Choice choice = select(case_of(session, side, rts), session.profile);
  if (choice.by->receive_at_once == nullptr) {
    return receive_announced(current(), side, from, rts, status).wait();
  }
  tell("receive", rts.bytes, status.source, choice);
  choice.by->receive_at_once(session, side, rts);
  status.bytes = rts.bytes;
  return status;
}

}  // namespace

void send_blocking(MessageBuffer side, const Peer& to) {
  SessionState* const session = session_for(to);
  if (session == nullptr || !usable(side)) {
    begin_send(std::move(side), to, SendMode::standard).wait();
    return;
  }
  const SendPath path = choose_send(*session, *session->comms.known_last(to.comm), side, to);
  const auto at_once = path.choice.by->send_at_once;
  if (at_once != nullptr && at_once(*session, side, to, path)) return;
  begin_send(std::move(side), to, SendMode::standard, &path).wait();
}

std::optional<Status> receive_at_once(const MessageBuffer& side, const Peer& from) {
  SessionState* const session = session_for(from);
  if (session == nullptr || !usable(side)) return std::nullopt;
  constexpr int one_thread = 1;
  const CommState& comm = *session->comms.known_last(from.comm);
  if (!comm.any_member(from.rank)) return std::nullopt;
  std::int64_t room = room_for(side.bytes, *session, comm, from.rank);
  const bool in_place = side.in_place() && room <= side.bytes;
  if (!in_place) room = std::max(room, least_guarded());
  if (!in_place && room > longest_packed_at_once) return std::nullopt;
  const HostBuffer packed = in_place ? HostBuffer() : HostBuffer(guarded_bytes(room));
  std::byte* const data = in_place ? side.route.first : packed.data();
  MPI_Status raw{};
  if (in_place) {
    receive(data, room, from, raw);
  } else {
    receive_guarded(data, room, from, raw);
  }
  Status status;
  status.source = raw.MPI_SOURCE;
  status.tag = raw.MPI_TAG;
  status.bytes = received_bytes(raw);
  if (!in_place) close_gap(data, room, status.bytes);
  if (status.bytes == rts_bytes && comm.is_member(status.source)) {
    if (const auto rts = Rts::decode(data, session->comm.identity(), comm.private_rank(status.source))) {
      return finish(*session, side, from, *rts, status);
    }
  }
  if (status.bytes > side.bytes) throw Truncated(status, side.bytes);
  if (!in_place && status.bytes > 0) {
    host::unpack(packed.data(), side.buffer, side.count, side.plan, {0, status.bytes}, one_thread);
  }
  return status;
}

}  // namespace typewarp::transport
