// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/send.hpp"

#include "transport/protocol/eager/eager_send.hpp"
#include "transport/protocol/fragments/rendezvous_send.hpp"
#include "transport/tuning/policy.hpp"

#include <typewarp/batch.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace typewarp::transport {
namespace {

using SharedSession = std::shared_ptr<SessionState>;
/// A message that will be announced, and owns its side; null if it is sent without an announcement.
using Announced = std::shared_ptr<RendezvousSend>;

// Without a session, or to MPI_PROC_NULL, there is nothing to choose.
Announced prepare(const SharedSession& session, MessageBuffer& side, const Peer& to, const SendPath* chosen) {
  if (!session || to.rank == MPI_PROC_NULL) return nullptr;
  SendPath path = chosen != nullptr ? SendPath{{*session, side, chosen->message.receiver}, chosen->choice}
                                    : choose_send(*session, *session->comms.of(to.comm), side, to);
  const std::int64_t bytes = side.bytes;
  Announced made;
  while (path.choice.by->start != nullptr) {
    const ProtocolRow& by = *path.choice.by;
    made = by.start({session, to, *path.message.receiver, by}, side);
    if (made) break;
    path.choice = select(path.message, &by);
  }
  tell("send", bytes, to.rank, path.choice);
  return made;
}

Begun begin(const SharedSession& session, const Announced& announced, MessageBuffer side, const Peer& to,
            SendMode mode, const Packed& packed) {
  if (announced) {
    ActiveOperations::Place place = ActiveOperations::place_for(announced);
    announced->start();
    return Begun(std::move(place));
  }
  const auto made = std::make_shared<EagerSend>(std::move(side), to,
                                                to.rank == MPI_PROC_NULL ? nullptr : progress_of(session));
  ActiveOperations::Place place = ActiveOperations::place_for(made);
  made->start(mode, packed);
  return Begun(std::move(place));
}

/// Packs by one launch the messages of one device and one stream that are sent without an announcement. Empty
/// if there are fewer than two.
std::vector<Packed> pack_together(const std::vector<MessageBuffer>& sides,
                                  const std::vector<Announced>& announced) {
  constexpr std::int64_t alignment = 64;  // a cache line: messages share none, and wide words suit
  std::vector<Piece> pieces;
  std::vector<std::size_t> whose;
  std::int64_t bytes = 0;
  const MessageBuffer* first = nullptr;
  const auto by_engines = [&](const gpu::LaunchContext& context, std::byte* to) {
    if (pieces.size() > sharing_policy.most_copies) return false;
    const gpu::Sharing sharing = gpu::sharing(context.device);
    const auto suits = [&](std::size_t i) { return engines_come_first(sharing, sides[i].bytes); };
    if (!std::ranges::all_of(whose, suits)) return false;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const MessageBuffer& side = sides[whose[k]];
      if (!side.packs_by_engines(context, {0, side.bytes}, to + pieces[k].place)) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const MessageBuffer& side = sides[i];
    if (announced[i] || !side.on_device()) continue;
    if (first == nullptr) first = &side;
    if (side.device != first->device || side.stream != first->stream) continue;
    pieces.push_back({side.buffer, side.count, side.plan, bytes});
    whose.push_back(i);
    bytes = (bytes + side.bytes + alignment - 1) / alignment * alignment;
  }
  if (pieces.size() < 2) return {};
  const auto staging = std::make_shared<const Staging>(BufferPath::Kind::device, bytes);
  std::optional<gpu::Event> done;
  try {
    follow(first->device, first->stream, done, [&](const gpu::LaunchContext& context) {
      if (by_engines(context, staging->data())) return;
      typewarp::pack(pieces, staging->data(), first->stream);
    });
  } catch (...) {
    ended(done, true);  // what was enqueued writes the staging memory
    throw;
  }
  reached(done, true);
  std::vector<Packed> packed(sides.size());
  for (std::size_t k = 0; k < pieces.size(); ++k) packed[whose[k]] = {staging, pieces[k].place};
  return packed;
}

}  // namespace

SendPath choose_send(SessionState& session, const SessionComm& comm, const MessageBuffer& side,
                     const Peer& to) {
  const SendCase message{session, side, session.comms.receiver(comm, to.rank)};
  return {message, select(message)};
}

Begun begin_send(MessageBuffer side, const Peer& to, SendMode mode, const SendPath* path) {
  const SharedSession session = current();
  const Announced announced = prepare(session, side, to, path);
  return begin(session, announced, std::move(side), to, mode, {});
}

void begin_sends(const std::vector<Sending>& sendings, std::vector<Request>& started) {
  const SharedSession session = current();
  std::vector<MessageBuffer> sides;
  std::vector<Announced> announced;
  sides.reserve(sendings.size());
  announced.reserve(sendings.size());
  for (const Sending& one : sendings) {
    announced.push_back(prepare(session, sides.emplace_back(one.side), one.to, nullptr));
  }
  const std::vector<Packed> packed = pack_together(sides, announced);
  started.reserve(started.size() + sendings.size());
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    const Sending& sending = sendings[i];
    const Packed& already = packed.empty() ? Packed{} : packed[i];
    started.push_back(
        begin(session, announced[i], std::move(sides[i]), sending.to, sending.mode, already).request());
  }
}

std::exception_ptr begin_sends_or_announce_failure(const std::vector<Sending>& sendings,
                                                   std::vector<Request>& started) {
  const std::size_t before = started.size();
  try {
    begin_sends(sendings, started);
    return nullptr;
  } catch (...) {
    const std::exception_ptr why = std::current_exception();
    begin_failed_sends(std::span(sendings).subspan(started.size() - before), why, started);
    return why;
  }
}

void begin_failed_sends(std::span<const Sending> sendings, const std::exception_ptr& why,
                        std::vector<Request>& started) {
  bool all_told = true;
  for (const Sending& sending : sendings) {
    try {
      started.push_back(begin_failed_send(sending.side, sending.to, why).request());
    } catch (...) {
      all_told = false;
    }
  }
  if (!all_told) std::rethrow_exception(why);
}

Begun begin_failed_send(MessageBuffer side, const Peer& to, std::exception_ptr why) {
  if (to.rank == MPI_PROC_NULL) return begin_send(std::move(side), to, SendMode::standard);
  const SharedSession session = current();
  const std::optional<int> receiver =
      session ? session->comms.receiver(*session->comms.of(to.comm), to.rank) : std::nullopt;
  if (!receiver) std::rethrow_exception(why);
  const auto made =
      std::make_shared<RendezvousSend>(SendContext{session, to, *receiver, host_row}, std::move(side));
  ActiveOperations::Place place = ActiveOperations::place_for(made);
  made->start_failed(std::move(why));
  return Begun(std::move(place));
}

}  // namespace typewarp::transport
