// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/send.hpp"

#include "transport/session.hpp"
#include "transport/protocol/remote_key.hpp"
#include "transport/protocol/rendezvous_send.hpp"
#include "transport/protocol/traffic.hpp"

#include <typewarp/batch.hpp>

#include <utility>

namespace typewarp::transport {
namespace {

/// Packed bytes of a message, in memory that it shares with others.
struct Packed {
  std::shared_ptr<const Staging> staging;
  std::int64_t place = 0;
};

/// The whole packed stream as one message: eager within a Transport, and all there is outside.
class PlainSend final : public Operation {
 public:
  PlainSend(Side side, const Peer& to, std::shared_ptr<Core> home)
      : Operation(to, std::move(home)), side_(std::move(side)) {
    status_.bytes = side_.bytes;
  }

  void start(SendMode mode) {
    if (!side_.on_device()) side_.turn().reached(true);
    message_ = start_send(packed(), side_.bytes, peer(), mode);
  }
  /// The same with what has been packed already.
  void start(const Packed& packed) {
    shared_staging_ = packed.staging;
    message_ = start_send(packed.staging->data() + packed.place, side_.bytes, peer());
  }

 private:
  bool run(bool block) override { return message_.finish(block); }
  void fail() override {}

  // Packs what is sent, unless it is sent in place, and returns where the packed bytes lie, all written.
  const std::byte* packed() {
    if (side_.in_place()) return side_.route.first;
    staging_ = Staging(side_.route.kind, side_.bytes);
    side_.pack_now(staging_.data());
    return staging_.data();
  }

  Side side_;
  Staging staging_;
  std::shared_ptr<const Staging> shared_staging_;
  Posted message_;
};

/// How a message goes: announced, if there is a Transport to announce it to.
struct Way {
  std::shared_ptr<Core> core;
  bool announced = false;
  int receiver = MPI_UNDEFINED;  ///< in the private communicator, if it takes announcements
  std::optional<Offer> offer = std::nullopt;
  OwnRing ring{};
};

Way way_of(const Side& side, const Peer& to) {
  if (to.rank == MPI_PROC_NULL) return {};
  Way way{current()};
  const std::shared_ptr<CommState> comm = way.core ? way.core->ranks.of(to.comm) : nullptr;
  const std::optional<int> receiver = comm ? way.core->receiver(*comm, to.rank) : std::nullopt;
  if (!receiver) return way;
  way.receiver = *receiver;
  way.offer = make_offer(*way.core, side, way.receiver);
  if (!way.offer) way.ring = take_ring(*way.core, side, way.receiver);
  way.announced = way.offer || way.ring || !way.core->is_plain(side.bytes);
  return way;
}

Begun begin(Way way, Side side, const Peer& to, SendMode mode, const Packed& packed) {
  const auto started = [&](const auto& made, auto start) {
    Progress::Place place = Progress::place_for(made);
    start();
    return Begun(std::move(place));
  };
  if (way.announced) {
    const auto made = std::make_shared<RendezvousSend>(std::move(side), to, way.core, way.receiver,
                                                       std::move(way.offer), std::move(way.ring));
    return started(made, [&] { made->start(); });
  }
  const std::int64_t bytes = side.bytes;
  const auto made = std::make_shared<PlainSend>(std::move(side), to, way.core);
  Begun begun = started(made, [&] {
    if (packed.staging) {
      made->start(packed);
    } else {
      made->start(mode);
    }
  });
  if (to.rank != MPI_PROC_NULL) count_sent(Carriage::eager, bytes);
  return begun;
}

/// Packs by one launch what lies with one device, is ordered by one stream, and goes as it is.
std::vector<Packed> pack_together(const std::vector<Sending>& sendings, const std::vector<Way>& ways) {
  constexpr std::int64_t alignment = 64;  // a cache line: messages share none, and wide words suit
  std::vector<Packed> packed(sendings.size());
  std::vector<Piece> pieces;
  std::vector<std::size_t> whose;
  std::int64_t bytes = 0;
  const Side* first = nullptr;
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    const Side& side = sendings[i].side;
    if (!side.on_device() || ways[i].announced) continue;
    if (first == nullptr) first = &side;
    if (side.device != first->device || side.stream != first->stream) continue;
    pieces.push_back({side.buffer, side.count, &side.plan, bytes});
    whose.push_back(i);
    bytes = (bytes + side.bytes + alignment - 1) / alignment * alignment;
  }
  if (pieces.size() < 2) return packed;
  const auto staging = std::make_shared<const Staging>(Route::Kind::device, bytes);
  typewarp::pack(pieces, staging->data(), first->stream);
  cuda::Event(first->device, first->stream).wait();
  for (std::size_t k = 0; k < pieces.size(); ++k) packed[whose[k]] = {staging, pieces[k].place};
  return packed;
}

}  // namespace

Begun begin_send(Side side, const Peer& to, SendMode mode) {
  Way way = way_of(side, to);
  return begin(std::move(way), std::move(side), to, mode, {});
}

void begin_sends(const std::vector<Sending>& sendings, std::vector<Request>& started) {
  std::vector<Way> ways;
  for (const Sending& sending : sendings) ways.push_back(way_of(sending.side, sending.to));
  const std::vector<Packed> packed = pack_together(sendings, ways);
  started.reserve(started.size() + sendings.size());
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    started.push_back(
        begin(std::move(ways[i]), sendings[i].side, sendings[i].to, SendMode::standard, packed[i]).request());
  }
}

}  // namespace typewarp::transport
