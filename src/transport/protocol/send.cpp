// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/send.hpp"

#include "transport/protocol/eager_send.hpp"
#include "transport/protocol/prepare_send.hpp"
#include "transport/protocol/rendezvous_send.hpp"
#include "transport/protocol/traffic.hpp"

#include <typewarp/batch.hpp>

#include <utility>

namespace typewarp::transport {
namespace {

/// Nothing without a session, or for nobody.
SendSetup prepare(const std::shared_ptr<SessionState>& session, const MessageBuffer& side, const Peer& to) {
  if (!session || to.rank == MPI_PROC_NULL) return {};
  return prepare_send(*session, *session->comms.of(to.comm), side, to);
}

Begun begin(const std::shared_ptr<SessionState>& session, SendSetup setup, MessageBuffer side, const Peer& to,
            SendMode mode, const Packed& packed) {
  if (setup.choice.announced()) {
    const auto made = std::make_shared<RendezvousSend>(session, std::move(side), to, std::move(setup));
    Progress::Place place = Progress::place_for(made);
    made->start();
    return Begun(std::move(place));
  }
  const std::int64_t bytes = side.bytes;
  const bool to_nobody = to.rank == MPI_PROC_NULL;
  const auto made =
      std::make_shared<EagerSend>(std::move(side), to, to_nobody ? nullptr : progress_of(session));
  Progress::Place place = Progress::place_for(made);
  made->start(mode, packed);
  if (!to_nobody) count_sent(Carriage::eager, bytes);
  return Begun(std::move(place));
}

/// Packs by one launch what lies with one device, is ordered by one stream, and goes as it is.
std::vector<Packed> pack_together(const std::vector<Sending>& sendings,
                                  const std::vector<SendSetup>& setups) {
  constexpr std::int64_t alignment = 64;  // a cache line: messages share none, and wide words suit
  std::vector<Packed> packed(sendings.size());
  std::vector<Piece> pieces;
  std::vector<std::size_t> whose;
  std::int64_t bytes = 0;
  const MessageBuffer* first = nullptr;
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    const MessageBuffer& side = sendings[i].side;
    if (!side.on_device() || setups[i].choice.announced()) continue;
    if (first == nullptr) first = &side;
    if (side.device != first->device || side.stream != first->stream) continue;
    pieces.push_back({side.buffer, side.count, side.plan, bytes});
    whose.push_back(i);
    bytes = (bytes + side.bytes + alignment - 1) / alignment * alignment;
  }
  if (pieces.size() < 2) return packed;
  const auto staging = std::make_shared<const Staging>(BufferPath::Kind::device, bytes);
  std::optional<gpu::Event> done;
  try {
    follow(first->device, first->stream, done,
           [&](const gpu::LaunchContext&) { typewarp::pack(pieces, staging->data(), first->stream); });
  } catch (...) {
    ended(done, true);  // what was enqueued writes the staging memory
    throw;
  }
  reached(done, true);
  for (std::size_t k = 0; k < pieces.size(); ++k) packed[whose[k]] = {staging, pieces[k].place};
  return packed;
}

}  // namespace

Begun begin_send(MessageBuffer side, const Peer& to, SendMode mode) {
  const std::shared_ptr<SessionState> session = current();
  SendSetup setup = prepare(session, side, to);
  return begin(session, std::move(setup), std::move(side), to, mode, {});
}

void begin_sends(const std::vector<Sending>& sendings, std::vector<Request>& started) {
  const std::shared_ptr<SessionState> session = current();
  std::vector<SendSetup> setups;
  for (const Sending& sending : sendings) setups.push_back(prepare(session, sending.side, sending.to));
  const std::vector<Packed> packed = pack_together(sendings, setups);
  started.reserve(started.size() + sendings.size());
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    const Sending& sending = sendings[i];
    started.push_back(
        begin(session, std::move(setups[i]), sending.side, sending.to, sending.mode, packed[i]).request());
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
    for (std::size_t i = started.size() - before; i < sendings.size(); ++i) {
      started.push_back(begin_failed_send(sendings[i].side, sendings[i].to, why).request());
    }
    return why;
  }
}

Begun begin_failed_send(MessageBuffer side, const Peer& to, std::exception_ptr why) {
  if (to.rank == MPI_PROC_NULL) return begin_send(std::move(side), to, SendMode::standard);
  const std::shared_ptr<SessionState> session = current();
  const std::optional<int> receiver =
      session ? session->comms.receiver(*session->comms.of(to.comm), to.rank) : std::nullopt;
  if (!receiver) std::rethrow_exception(why);
  SendSetup setup;
  setup.receiver = *receiver;
  const auto made = std::make_shared<RendezvousSend>(session, std::move(side), to, std::move(setup));
  Progress::Place place = Progress::place_for(made);
  made->start_failed(std::move(why));
  return Begun(std::move(place));
}

}  // namespace typewarp::transport
