// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/wait_loop.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"
#include "transport/protocol/ring/ring.hpp"
#include "transport/protocol/ring/ring_message.hpp"
#include "transport/request/progress.hpp"

#include <exception>
#include <utility>

namespace typewarp::transport {
namespace {

/// Waits for another process to write to shared memory, and lets the MPI make progress meanwhile.
class SharedMemoryWait {
 public:
  explicit SharedMemoryWait(MPI_Comm comm) noexcept : comm_(comm) {}

  void again() {
    if (!loop_.again()) return;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, MPI_STATUS_IGNORE);
  }

 private:
  /// Some microseconds: after a yield the answer is seen half a microsecond late.
  static constexpr int looks_between_yields = 2048;

  MPI_Comm comm_;
  WaitLoop loop_{looks_between_yields};
};

/// Writes until there is an answer. `failure`: the first error meanwhile.
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

}  // namespace

bool send_by_ring(const SendPath& path, const Peer& to) {
  SessionState& session = path.message.session;
  const MessageBuffer& side = path.message.side;
  OwnRing ring = take_ring(session, side.bytes);
  if (!ring) return false;
  tell("send", side.bytes, to.rank, path.choice);
  Cts answer{};
  std::exception_ptr failure;
  {
    RingWriter writer(std::move(ring), side, session.profile.ring);
    Rts rts = announcement(session, side);
    rts.offers.add(ring_row.id, writer.offer(true));
    send(rts.encode(session.comm.identity()).data(), rts_bytes, to);
    answer = answer_to(writer, session.comm.get(), failure);
  }
  if (answer.code == Cts::Code::taken) {
    ring_row.sent->count(side.bytes);
  } else {
    const std::shared_ptr<SessionState> owned = current();
    const auto rest =
        std::make_shared<RendezvousSend>(SendContext{owned, to, *path.message.receiver, ring_row}, side);
    if (failure) rest->give_up(failure);
    rest->go_on(answer);
    Begun(ActiveOperations::place_for(rest)).wait();
  }
  if (failure) std::rethrow_exception(failure);
  return true;
}

void receive_by_ring(const ReceiveContext& message) {
  SessionState& session = message.session;
  RingReader reader(rings_of(session), session.profile.ring, message.side, message.rts,
                    *ring_offer(message.rts));
  try {
    for (SharedMemoryWait wait(session.comm.get()); !reader.advance();) wait.again();
  } catch (...) {
    reader.discard();
    reader.advance();
    throw;
  }
}

}  // namespace typewarp::transport
