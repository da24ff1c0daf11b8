// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/session.hpp"
#include "transport/api/named_peer.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/mpi/wait_loop.hpp"
#include "transport/protocol/receive.hpp"
#include "transport/request/waiting.hpp"

#include <typewarp/mpi.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace typewarp {

/// A message that a probe has taken.
struct Message::State {
  explicit State(transport::UnexpectedQueue::Place taken) noexcept : found(std::move(taken)) {}

  transport::UnexpectedQueue::Place found;
};

namespace {

using Found = transport::Internal::Found;
using transport::Rts;
using transport::SessionComm;
using transport::SessionState;
using transport::UnexpectedMessage;
using transport::UnexpectedQueue;

std::optional<Status> probe_plain(int source, int tag, MPI_Comm comm) {
  MPI_Status raw{};
  int there = 0;
  transport::naming_peer({"typewarp::iprobe", "source"}, source, tag,
                         [&] { mpi::check(MPI_Iprobe(source, tag, comm, &there, &raw), "MPI_Iprobe"); });
  if (there == 0) return std::nullopt;
  return Status{.source = raw.MPI_SOURCE, .tag = raw.MPI_TAG, .bytes = transport::received_bytes(raw)};
}

/// Takes the first matching message out of the MPI; empty if there is none. If it has the length of an RTS
/// and its source is a member of `state`, this starts to receive it.
UnexpectedQueue::Place take(const SessionComm* state, int source, int tag, MPI_Comm comm) {
  UnexpectedQueue::Place place(1);  // in which it can be kept whatever happens
  UnexpectedMessage& found = place.front();
  MPI_Status raw{};
  int there = 0;
  transport::naming_peer({"typewarp::improbe", "source"}, source, tag, [&] {
    mpi::check(MPI_Improbe(source, tag, comm, &there, &found.message, &raw), "MPI_Improbe");
  });
  if (there == 0) return {};
  found.source = raw.MPI_SOURCE;
  found.tag = raw.MPI_TAG;
  found.bytes = transport::received_bytes(raw);
  if (found.bytes == transport::rts_bytes && state != nullptr && state->is_member(found.source)) {
    found.arriving = transport::start_receive(found.data.data(), found.bytes, found.message);
    found.message = MPI_MESSAGE_NULL;
  }
  return place;
}

/// Nothing if the length of the message is not known yet.
std::optional<Status> status_of(const SessionState& session, const SessionComm& state,
                                UnexpectedMessage* found) {
  if (found == nullptr || !found->arriving.test()) return std::nullopt;
  Status status{.source = found->source, .tag = found->tag, .bytes = found->bytes};
  if (found->message != MPI_MESSAGE_NULL) return status;
  const auto rts =
      Rts::decode(found->data.data(), session.comm.identity(), state.private_rank(found->source));
  if (rts) status.bytes = rts->bytes;
  return status;
}

/// An RTS must be received before the length of its message is known. Earlier messages of that source are
/// taken out of the MPI, too, since later receives look into the queue first and must not overtake. Called
/// under the lock of `state`.
std::optional<Status> probe_members(const SessionState& session, SessionComm& state, int source, int tag,
                                    MPI_Comm comm) {
  if (UnexpectedMessage* const found = state.pending.find(source, tag))
    return status_of(session, state, found);
  const std::optional<Status> seen = probe_plain(source, tag, comm);
  if (!seen || seen->bytes != transport::rts_bytes || !state.is_member(seen->source)) return seen;
  for (;;) {
    UnexpectedQueue::Place taken = take(&state, seen->source, MPI_ANY_TAG, comm);
    if (taken.empty()) break;
    const int tag_taken = taken.front().tag;
    state.pending.add(std::move(taken));
    if (tag_taken == seen->tag) break;
  }
  return status_of(session, state, state.pending.find(source, tag));
}

/// Where to look for messages. Lets the session make progress first.
struct Look {
  Look(const char* call, int source, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) {
      throw InvalidArgument(call, "comm", "MPI_COMM_NULL", "must be a communicator");
    }
    if (source == MPI_PROC_NULL) return;
    session = transport::current();
    if (!session) return;
    state = session->comms.of(comm);
    session->progress.exhaust();
  }

  std::shared_ptr<SessionState> session;  ///< null without a Session
  std::shared_ptr<SessionComm> state;
};

// The status of a message is that of its matching probe: the message of a probe just before may have been
// received by another thread.

std::optional<Message> improbe_plain(int source, int tag, MPI_Comm comm) {
  auto made = std::make_unique<Found>(UnexpectedQueue::Place());
  made->found = take(nullptr, source, tag, comm);
  if (made->found.empty()) return std::nullopt;
  const UnexpectedMessage& found = made->found.front();
  const Status status{.source = found.source, .tag = found.tag, .bytes = found.bytes};
  return transport::Internal::message(std::move(made), status);
}

std::optional<Message> improbe_members(const SessionState& session, SessionComm& state, int source, int tag,
                                       MPI_Comm comm) {
  const std::optional<Status> seen = probe_members(session, state, source, tag, comm);
  if (!seen) return std::nullopt;
  auto made = std::make_unique<Found>(UnexpectedQueue::Place());
  UnexpectedMessage* found = state.pending.find(seen->source, seen->tag);
  if (found == nullptr) {
    UnexpectedQueue::Place taken = take(&state, seen->source, seen->tag, comm);
    if (taken.empty()) return std::nullopt;  // another thread was faster
    state.pending.add(std::move(taken));
    found = state.pending.find(seen->source, seen->tag);
  }
  found->arriving.finish(true);  // an RTS takes no time
  const Status status = status_of(session, state, found).value();
  made->found = state.pending.take(*found);  // when nothing can fail any more
  return transport::Internal::message(std::move(made), status);
}

/// Waits until `look` finds something. Throws TimeLimitExceeded after the time limit of the Session.
template <class Look>
auto await(const transport::Peer& peer, const Look& look) {
  using Clock = std::chrono::steady_clock;
  const std::shared_ptr<SessionState> session = transport::current();
  const std::chrono::milliseconds limit =
      session ? session->options.time_limit : SessionOptions::no_time_limit;
  const Clock::time_point start = Clock::now();
  for (transport::WaitLoop loop(transport::yield_each_time);; loop.again()) {
    if (auto found = look()) return *std::move(found);
    if (limit != SessionOptions::no_time_limit && Clock::now() - start > limit)
      throw transport::limit_exceeded(peer, limit);
  }
}

}  // namespace

std::optional<Status> iprobe(int source, int tag, MPI_Comm comm) {
  const Look look("typewarp::iprobe", source, comm);
  if (!look.session) return probe_plain(source, tag, comm);
  const std::lock_guard lock(look.state->mutex);
  return probe_members(*look.session, *look.state, source, tag, comm);
}

Status probe(int source, int tag, MPI_Comm comm) {
  return await({source, tag, comm}, [&] { return iprobe(source, tag, comm); });
}

std::optional<Message> improbe(int source, int tag, MPI_Comm comm) {
  const Look look("typewarp::improbe", source, comm);
  if (!look.session) return improbe_plain(source, tag, comm);
  const std::lock_guard lock(look.state->mutex);
  return improbe_members(*look.session, *look.state, source, tag, comm);
}

Message mprobe(int source, int tag, MPI_Comm comm) {
  return await({source, tag, comm}, [&] { return improbe(source, tag, comm); });
}

Message::Message() noexcept = default;
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;
Message::Message(std::unique_ptr<State> state, const Status& status) noexcept
    : state_(std::move(state)), status_(status) {}

Message transport::Internal::message(std::unique_ptr<Found> found, const Status& status) noexcept {
  return {std::move(found), status};
}

Message transport::adopt(MPI_Message& message) {
  if (message == MPI_MESSAGE_NULL) {
    throw InvalidArgument("typewarp::transport::adopt", "message", "MPI_MESSAGE_NULL", "must be a message");
  }
  auto place = std::make_unique<Internal::Found>(UnexpectedQueue::Place(1));
  UnexpectedMessage& found = place->found.front();
  found.source = MPI_ANY_SOURCE;
  found.tag = MPI_ANY_TAG;
  found.bytes = 0;
  found.message = std::exchange(message, MPI_MESSAGE_NULL);  // when nothing can fail any more
  return Internal::message(std::move(place), Status{});
}

MPI_Message transport::given_back(Message&& message) noexcept {
  Message taken = std::move(message);
  return std::exchange(Internal::found(taken).found.front().message, MPI_MESSAGE_NULL);
}

void transport::put_back(Message&& message, MPI_Comm comm) noexcept {
  Message taken = std::move(message);
  try {
    const std::shared_ptr<SessionComm> state = current()->comms.of(comm);
    const std::lock_guard lock(state->mutex);
    state->pending.put_back(std::move(Internal::found(taken).found));
  } catch (const std::exception&) {
    return;  // without its communicator's state nobody would find it
  }
}

Request imrecv(void* buffer, std::int64_t count, const Plan& plan, Message&& message, MPI_Comm comm,
               Stream stream) {
  if (message.empty()) {
    throw InvalidArgument("typewarp::imrecv", "message", "an empty one", "must come from improbe or mprobe");
  }
  constexpr bool nobody = false;
  const transport::Names names{"typewarp::imrecv", "buffer", "count"};
  transport::Begun begun =
      transport::receive_found(transport::MessageBuffer(names, buffer, count, plan, comm, nobody, stream),
                               comm, std::move(message.state_->found));
  message.state_.reset();
  return std::move(begun).request();
}

}  // namespace typewarp
