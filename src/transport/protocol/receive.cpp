// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/receive.hpp"

#include "engine/runtime/gpu_sharing.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/protocol/fragments/fragment_receiver.hpp"
#include "transport/protocol/inbox.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/request/operation.hpp"
#include "transport/tuning/policy.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::transport {
namespace {

std::unique_ptr<ReceiveProtocol> taken_by_best(ReceiveContext message, int source) {
  for (;;) {
    const ProtocolChoice choice = select(message);
    message.by = choice.by;
    std::unique_ptr<ReceiveProtocol> taken = choice.by->on_rts(message);
    if (taken == nullptr) continue;
    tell("receive", message.rts.bytes, source, choice);
    return taken;
  }
}

/// A receive. Only when it is matched does it know whether the message is announced.
class Receive final : public Operation {
 public:
  Receive(MessageBuffer side, const Peer& from, const std::shared_ptr<SessionState>& session,
          std::shared_ptr<SessionComm> comm)
      : Operation(from, progress_of(session)),
        session_(session.get()),
        side_(std::move(side)),
        comm_(std::move(comm)),
        candidate_(candidate()) {}

  /// Posts the receive to the MPI.
  void post() {
    prepare();
    inbox_.post(peer());
  }
  /// Receives a message that a probe has found. keep() must follow; nothing is lost if this throws.
  void adopt(const UnexpectedMessage& found) {
    prepare();
    inbox_.adopt(found);
  }
  void keep(UnexpectedQueue::Place place) noexcept { inbox_.keep(std::move(place)); }
  /// Continues from an announcement that has been received.
  void go_on(const Rts& rts, const Status& from) noexcept {
    try {
      expect(rts, from);
      turn_ = side_.turn();
    } catch (...) {
      if (!by_) state_ = State::complete;
      give_up(std::current_exception());
    }
  }

 private:
  enum class State {
    matching,   ///< the MPI has the receive
    arriving,   ///< announced: `by_` has it in hand
    ordering,   ///< arrived whole, but earlier work in the stream still uses the memory: waits for `turn_`
    unpacking,  ///< on its way into device memory: waits for `copy_`, or `unpacked_` outside of a Session
    complete,
  };

  CopyCoalescer::Candidate candidate() {
    if (session_ == nullptr || !side_.on_device()) return {};
    return {session_->gather, side_.route.device};
  }
  void prepare();
  bool run(bool block) override;
  bool match(bool block);
  void matched(const Status& status);
  void expect(const Rts& rts, const Status& from);
  void take_in_hand(const Rts& rts, const ProtocolRow* tried);
  bool may_write();
  bool arrive();
  void unpack();
  void fail() override;
  void withdraw() override {
    if (state_ == State::matching) inbox_.cancel();
  }

  SessionState* session_;  ///< which home() owns; null outside
  MessageBuffer side_;
  std::shared_ptr<SessionComm> comm_;
  CopyCoalescer::Candidate candidate_;  ///< within a Session, of a device
  Inbox inbox_;
  BufferPath::Kind copy_kind_ = BufferPath::Kind::host;  ///< of a copy in the inbox
  StreamPoint turn_;
  std::unique_ptr<ReceiveProtocol> by_;  ///< of an announced message. Apart: most are not
  std::optional<gpu::Event> unpacked_;
  CopyCoalescer::Copy copy_;
  State state_ = State::matching;
  bool wanted_ = true;
};

// The MPI may write to the user's memory from now on, unless it is too short or the stream may still use it.
void Receive::prepare() {
  std::int64_t room = comm_ ? room_for(side_.bytes, *session_, *comm_, peer().rank) : side_.bytes;
  if (room <= side_.bytes) room = room_that_tells(room, peer());
  turn_ = side_.turn();
  if (side_.in_place() && !turn_.reached(false)) side_.route.kind = BufferPath::Kind::host;
  // Most long messages of a Session only put an announcement there, so no pages are locked for them.
  const bool is_long = session_ != nullptr && room > session_->options.eager_bytes;
  copy_kind_ = side_.on_device() && !is_long ? BufferPath::Kind::device : BufferPath::Kind::host;
  std::byte* const in_place = side_.in_place() && room <= side_.bytes ? side_.route.first : nullptr;
  inbox_.open(in_place, room, comm_ && comm_->any_member(peer().rank), copy_kind_);
}

// Drops the message if another receive will overwrite it later.
bool Receive::may_write() {
  const Inbox::Other other = inbox_.other();
  if (other == Inbox::Other::waits) return false;
  if (other == Inbox::Other::overrides) {
    wanted_ = false;
    if (state_ == State::ordering) state_ = State::complete;
    if (state_ == State::arriving) by_->discard();
  }
  return true;
}

bool Receive::run(bool block) {
  if (state_ == State::matching && !match(block)) return false;
  if (state_ == State::arriving && !arrive()) return false;
  if (state_ == State::ordering && !may_write()) return false;
  if (state_ == State::ordering) {
    if (!turn_.reached(block)) return false;
    state_ = State::complete;
    if (status_.bytes > side_.bytes) throw Truncated(status_, side_.bytes);
    state_ = State::unpacking;
    if (inbox_.is_copy() && status_.bytes > 0) unpack();
  }
  if (state_ == State::unpacking) {
    if (!reached(unpacked_, block) || !copy_.reached()) return false;
    state_ = State::complete;
  }
  candidate_.leave();
  return true;
}

void Receive::unpack() {
  const gpu::Side to = side_.at_home();
  const bool by_engines = engines_come_first(gpu::sharing(to.device), status_.bytes) &&
                          gpu::suits_copy_engines(to, status_.bytes, to.device);
  if (!candidate_ || copy_kind_ == BufferPath::Kind::host || by_engines) {
    return side_.unpack({0, status_.bytes}, inbox_.data(), unpacked_);
  }
  const gpu::Side from{nullptr, status_.bytes, inbox_.data(), MemoryKind::pinned};
  copy_ = candidate_.copy(to, from, status_.bytes);
}

bool Receive::match(bool block) {
  std::optional<Status> status;
  try {
    status = inbox_.finish(block, side_.bytes);
  } catch (const Truncated& error) {
    status_ = error.status();
    throw;
  }
  if (!status) return false;
  state_ = State::complete;
  if (!status->cancelled) {
    matched(*status);
  } else {
    status_ = *status;
  }
  inbox_.leave();
  return true;
}

void Receive::matched(const Status& status) {
  count_step();
  inbox_.matched();
  if (status.bytes == rts_bytes && comm_ && comm_->is_member(status.source)) {
    const auto rts =
        Rts::decode(inbox_.data(), session_->comm.identity(), comm_->private_rank(status.source));
    inbox_.leave();
    if (rts) {
      inbox_.drop_copy();
      return expect(*rts, status);
    }
  }
  status_ = status;
  state_ = wanted_ ? State::ordering : State::complete;
}

void Receive::expect(const Rts& rts, const Status& from) {
  status_ = from;
  status_.bytes = rts.bytes;
  take_in_hand(rts, nullptr);
}

// By the best protocol after `tried`. Whatever fails here, the sender waits for an answer. Must not throw if
// the message is not wanted any more.
void Receive::take_in_hand(const Rts& rts, const ProtocolRow* tried) {
  const ReceiveContext message{*session_, side_, rts, candidate_, tried};
  try {
    by_ = wanted_ ? taken_by_best(message, status_.source) : refuse(message);
  } catch (...) {
    by_ = refuse(message);
    state_ = State::arriving;
    throw;
  }
  state_ = State::arriving;
}

bool Receive::arrive() {
  if (!may_write()) return false;
  if (wanted_ && !turn_.reached(false)) return false;
  for (;;) {
    const std::int64_t before = by_->steps();
    const bool done = by_->advance();
    if (by_->steps() != before) count_step();
    wait_for_memory(by_->waits_for_memory());
    if (!done) return false;
    if (!by_->impossible()) break;
    const Rts rts = by_->rts();
    take_in_hand(rts, by_->row());
  }
  state_ = State::complete;
  if (wanted_ && by_->rts().bytes > side_.bytes) throw Truncated(status_, side_.bytes);
  return true;
}

void Receive::fail() {
  wanted_ = false;
  if (state_ == State::matching) {
    if (inbox_.idle()) {
      state_ = State::complete;
      inbox_.leave();
    }
    inbox_.cancel();
  } else if (state_ == State::arriving) {
    return by_->discard();
  } else if (state_ == State::ordering) {
    state_ = State::complete;
  }
  copy_.withdraw();
}

}  // namespace

std::int64_t room_for(std::int64_t bytes, const SessionState& session, const SessionComm& comm, int source) {
  if (comm.all_members(source) && !session.mixed) bytes = std::min(bytes, session.options.eager_bytes);
  return comm.any_member(source) ? std::max(bytes, rts_bytes) : bytes;
}

Begun receive_announced(const std::shared_ptr<SessionState>& session, MessageBuffer side, const Peer& from,
                        const Rts& rts, const Status& status) {
  const auto made = std::make_shared<Receive>(std::move(side), from, session, session->comms.of(from.comm));
  made->go_on(rts, status);
  return Begun(ActiveOperations::place_for(made));
}

Begun receive_found(MessageBuffer side, MPI_Comm comm, UnexpectedQueue::Place&& found) {
  const std::shared_ptr<SessionState> session = current();
  std::shared_ptr<SessionComm> state = session ? session->comms.of(comm) : nullptr;
  const Peer from{found.front().source, found.front().tag, comm};
  const auto made = std::make_shared<Receive>(std::move(side), from, session, std::move(state));
  ActiveOperations::Place place = ActiveOperations::place_for(made);
  made->adopt(found.front());
  made->keep(std::move(found));
  return Begun(std::move(place));
}

Begun begin_receive(MessageBuffer side, const Peer& from) {
  const std::shared_ptr<SessionState> session = from.rank == MPI_PROC_NULL ? nullptr : current();
  std::shared_ptr<SessionComm> comm = session ? session->comms.of(from.comm) : nullptr;
  const auto made = std::make_shared<Receive>(std::move(side), from, session, comm);
  ActiveOperations::Place place = ActiveOperations::place_for(made);
  if (!session) {
    made->post();
    return Begun(std::move(place));
  }
  const std::lock_guard lock(comm->mutex);
  if (const UnexpectedMessage* found = comm->pending.find(from.rank, from.tag)) {
    made->adopt(*found);
    made->keep(comm->pending.take(*found));
  } else {
    made->post();
  }
  return Begun(std::move(place));
}

}  // namespace typewarp::transport
