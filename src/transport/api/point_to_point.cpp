// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/p2p.hpp>

#include "transport/api/named_peer.hpp"
#include "transport/protocol/eager/eager_send.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/protocol/send.hpp"

#include <typewarp/host.hpp>

#include <algorithm>
#include <utility>

/// Blocking calls. A short message of host memory takes one blocking MPI call, or a ring, without an
/// operation and its locks, which would take longer than the message. Only if no other thread can call
/// meanwhile and no other message of the Session is under way.
namespace typewarp::transport {
namespace {

/// The session, if it allows the immediate path; else null.
SessionState* session_for(const Peer& peer) {
  SessionState* const session = sole();
  if (session == nullptr || peer.rank == MPI_PROC_NULL || !session->progress.idle()) return nullptr;
  if (session->options.time_limit != SessionOptions::no_time_limit) return nullptr;
  const SessionComm* const comm = session->comms.known_last(peer.comm);
  return comm != nullptr && comm->pending.empty() ? session : nullptr;
}

/// Whether this is host memory that no stream uses.
bool usable(const MessageBuffer& side) {
  return !side.on_device() && (!side.route.in_stream_order || gpu::idle(side.stream));
}

/// Continues a receive that has got `rts`.
Status finish(SessionState& session, const MessageBuffer& side, const Peer& from, const Rts& rts,
              Status status) {
  CopyCoalescer::Candidate none;  // of host memory
  ReceiveContext message{session, side, rts, none, nullptr};
  const ProtocolChoice choice = select(message);
  if (choice.by->receive_at_once == nullptr) {
    return receive_announced(current(), side, from, rts, status).wait();
  }
  tell("receive", rts.bytes, status.source, choice);
  message.by = choice.by;
  choice.by->receive_at_once(message);
  status.bytes = rts.bytes;
  return status;
}

/// `to` may be MPI_PROC_NULL. Throws MpiError, GpuError.
void send_blocking(MessageBuffer side, const Peer& to) {
  SessionState* const session = session_for(to);
  if (session == nullptr || !usable(side)) {
    begin_send(std::move(side), to, SendMode::standard).wait();
    return;
  }
  const SendPath path = choose_send(*session, *session->comms.known_last(to.comm), side, to);
  const auto at_once = path.choice.by->send_at_once;
  if (at_once != nullptr && at_once(path, to)) return;
  begin_send(std::move(side), to, SendMode::standard, &path).wait();
}

/// Receives a message, also an announced one. Returns nothing if it did nothing: then the caller must receive
/// the message by an operation. Throws MpiError.
std::optional<Status> receive_at_once(const MessageBuffer& side, const Peer& from) {
  SessionState* const session = session_for(from);
  if (session == nullptr || !usable(side)) return std::nullopt;
  constexpr int one_thread = 1;
  const SessionComm& comm = *session->comms.known_last(from.comm);
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
  Status status{.source = raw.MPI_SOURCE, .tag = raw.MPI_TAG, .bytes = received_bytes(raw)};
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

}  // namespace
}  // namespace typewarp::transport

namespace typewarp {
namespace {

using transport::MessageBuffer;
using transport::naming_peer;
using transport::Peer;
using transport::SendMode;

/// What a call and its arguments are named.
struct CallNames {
  const char* call;
  const char* buffer = "buffer";
  const char* count = "count";
  const char* tag = "tag";
};

MessageBuffer side_of(const CallNames& names, const void* buffer, std::int64_t count, const Plan& plan,
                      const Peer& peer, Stream stream) {
  return {{names.call, names.buffer, names.count},
          buffer,
          count,
          plan,
          peer.comm,
          peer.rank == MPI_PROC_NULL,
          stream};
}

transport::Begun start_send(const CallNames& names, const void* buffer, std::int64_t count, const Plan& plan,
                            const Peer& to, Stream stream, SendMode mode = SendMode::standard) {
  return naming_peer({names.call, "destination", names.tag}, to.rank, to.tag, [&] {
    return transport::begin_send(side_of(names, buffer, count, plan, to, stream), to, mode);
  });
}

transport::Begun start_receive(const CallNames& names, void* buffer, std::int64_t count, const Plan& plan,
                               const Peer& from, Stream stream) {
  return naming_peer({names.call, "source", names.tag}, from.rank, from.tag, [&] {
    return transport::begin_receive(side_of(names, buffer, count, plan, from, stream), from);
  });
}

}  // namespace

void send(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
          Stream stream) {
  constexpr CallNames names{"typewarp::send"};
  const Peer to{destination, tag, comm};
  MessageBuffer side = side_of(names, buffer, count, plan, to, stream);
  naming_peer({names.call, "destination"}, destination, tag,
              [&] { transport::send_blocking(std::move(side), to); });
}

void ssend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
           Stream stream) {
  start_send({"typewarp::ssend"}, buffer, count, plan, {destination, tag, comm}, stream,
             SendMode::synchronous)
      .wait();
}

Status recv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
            Stream stream) {
  constexpr CallNames names{"typewarp::recv"};
  const Peer from{source, tag, comm};
  MessageBuffer side = side_of(names, buffer, count, plan, from, stream);
  return naming_peer({names.call, "source"}, source, tag, [&] {
    const std::optional<Status> status = transport::receive_at_once(side, from);
    return status ? *status : transport::begin_receive(std::move(side), from).wait();
  });
}

Request isend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
              MPI_Comm comm, Stream stream) {
  return start_send({"typewarp::isend"}, buffer, count, plan, {destination, tag, comm}, stream).request();
}

Request issend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag,
               MPI_Comm comm, Stream stream) {
  return start_send({"typewarp::issend"}, buffer, count, plan, {destination, tag, comm}, stream,
                    SendMode::synchronous)
      .request();
}

Request irecv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
              Stream stream) {
  return start_receive({"typewarp::irecv"}, buffer, count, plan, {source, tag, comm}, stream).request();
}

Status sendrecv(const void* send_buffer, std::int64_t send_count, const Plan& send_plan, int destination,
                int send_tag, void* recv_buffer, std::int64_t recv_count, const Plan& recv_plan, int source,
                int recv_tag, MPI_Comm comm, Stream stream) {
  constexpr const char* call = "typewarp::sendrecv";
  Request receive = start_receive({call, "recv_buffer", "recv_count", "recv_tag"}, recv_buffer, recv_count,
                                  recv_plan, {source, recv_tag, comm}, stream)
                        .request();
  Request sending = start_send({call, "send_buffer", "send_count", "send_tag"}, send_buffer, send_count,
                               send_plan, {destination, send_tag, comm}, stream)
                        .request();
  const Status status = receive.wait();
  sending.wait();
  return status;
}

}  // namespace typewarp
