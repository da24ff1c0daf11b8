// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/api/blocking.hpp"

#include "transport/mpi/wait_loop.hpp"
#include "transport/protocol/prepare_send.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/protocol/rendezvous_send.hpp"
#include "transport/protocol/traffic.hpp"
#include "transport/request/truncated.hpp"

#include <typewarp/host.hpp>

#include <algorithm>

namespace typewarp::transport {
namespace {

constexpr int one_thread = 1;
/// Longer packed messages feel an operation no more.
constexpr std::int64_t longest_packed = std::int64_t{64} << 10;

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

/// Waits for what another process does in shared memory, while the MPI may have to move what it was given.
class SharedMemoryWait {
 public:
  explicit SharedMemoryWait(MPI_Comm comm) noexcept : comm_(comm) {}

  void again() {
    if (!loop_.again()) return;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, MPI_STATUS_IGNORE);
  }

 private:
  /// Some microseconds: whoever yields notices an answer half a microsecond late.
  static constexpr int looks_between_yields = 2048;

  MPI_Comm comm_;
  WaitLoop loop_{looks_between_yields};
};

/// Writes until there is an answer; `failure` is what failed meanwhile.
Cts answer_to(RingWriter& writer, MPI_Comm comm, std::exception_ptr& failure) {
  for (SharedMemoryWait wait(comm);; wait.again()) {
    if (const std::optional<Cts> answer = writer.answer()) return *answer;
    try {
      if (!failure) writer.advance();
    } catch (...) {
      failure = std::current_exception();
      writer.fail();
    }
  }
}

void send_through_ring(SessionState& session, const MessageBuffer& side, const Peer& to, SendSetup setup) {
  constexpr int no_tag = -1;
  Cts answer{};
  std::exception_ptr failure;
  {
    RingWriter writer(std::move(setup.ring), side, session.profile.ring);
    Rts rts = announcement(session, side, no_tag);
    rts.ring = writer.offer(true);
    send(rts.encode(session.comm.identity()).data(), rts_bytes, to);
    answer = answer_to(writer, session.comm.get(), failure);
  }
  if (answer.verdict == Cts::Code::taken) {
    count_sent(Carriage::ring, side.bytes);
  } else {
    const auto rest = std::make_shared<RendezvousSend>(current(), side, to, std::move(setup));
    if (failure) rest->give_up(failure);
    rest->go_on(answer);
    Begun(Progress::place_for(rest)).wait();
  }
  if (failure) std::rethrow_exception(failure);
}

/// The rest of a receive that has got `rts`, of which `status` says where it came from.
Status finish(const SessionState& session, const MessageBuffer& side, const Peer& from, const Rts& rts,
              Status status) {
  const RingPolicy& policy = session.profile.ring;
  if (select(case_of(session, side, rts), session.profile).way != Way::ring) {
    return receive_announced(current(), side, from, rts, status).wait();
  }
  RingReader reader(session.rings, policy, side, rts);
  try {
    for (SharedMemoryWait wait(session.comm.get()); !reader.advance();) wait.again();
  } catch (...) {
    reader.discard();
    reader.advance();
    throw;
  }
  status.bytes = rts.bytes;
  return status;
}

}  // namespace

bool send_at_once(const MessageBuffer& side, const Peer& to) {
  SessionState* const session = session_for(to);
  if (session == nullptr || !usable(side)) return false;
  SendSetup setup = prepare_send(*session, *session->comms.known_last(to.comm), side, to);
  if (setup.choice.way == Way::ring) {
    send_through_ring(*session, side, to, std::move(setup));
    return true;
  }
  if (setup.choice.way != Way::eager || (!side.in_place() && side.bytes > longest_packed)) return false;
  if (side.in_place()) {
    send(side.route.first, side.bytes, to);
  } else {
    const HostBuffer packed(side.bytes);
    host::pack(side.buffer, side.count, side.plan, packed.data(), {0, side.bytes}, one_thread);
    send(packed.data(), side.bytes, to);
  }
  count_sent(Carriage::eager, side.bytes);
  return true;
}

std::optional<Status> receive_at_once(const MessageBuffer& side, const Peer& from) {
  SessionState* const session = session_for(from);
  if (session == nullptr || !usable(side)) return std::nullopt;
  const CommState& comm = *session->comms.known_last(from.comm);
  if (!comm.any_member(from.rank)) return std::nullopt;
  std::int64_t room = room_for(side.bytes, *session, comm, from.rank);
  const bool in_place = side.in_place() && room <= side.bytes;
  if (!in_place) room = std::max(room, least_guarded());
  if (!in_place && room > longest_packed) return std::nullopt;
  const HostBuffer packed = in_place ? HostBuffer() : HostBuffer(guarded_bytes(room));
  std::byte* const data = in_place ? side.route.first : packed.data();
  MPI_Status raw;
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
    if (const auto rts = Rts::decode(data, session->comm.identity())) {
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
