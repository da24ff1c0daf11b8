// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/send.hpp"

#include "transport/core.hpp"
#include "transport/offer.hpp"
#include "transport/rendezvous.hpp"
#include "transport/traffic.hpp"

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
  /// Starts later, behind what else waits to be sent to that rank.
  void start_in_turn(SendMode mode) {
    mode_ = mode;
    turn_ = side_.turn();
    place_ = home()->departures.join(peer());
    if (side_.on_device() && turn_.reached(false)) gather();
  }

 private:
  bool run(bool block) override {
    if (place_ && !depart()) return false;
    return packing_.reached() && message_.finish(block);
  }
  // What has not been given to the MPI never will be.
  void fail() override {
    packing_.withdraw();
    place_.leave();
  }

  // Packs what is sent, unless it is sent in place, and returns where the packed bytes lie, all written.
  const std::byte* packed() {
    if (side_.in_place()) return side_.route.first;
    staging_ = Staging(side_.route.kind, side_.bytes);
    side_.pack_now(staging_.data());
    return staging_.data();
  }

  void gather() {
    staging_ = Staging(Route::Kind::device, side_.bytes);
    const cuda::Side to{nullptr, side_.bytes, staging_.data(), MemoryKind::pinned};
    packing_ = home()->gather.pack(side_.route.device, to, side_.at_home(), side_.bytes);
  }

  bool depart() {
    if (!turn_.reached(false)) return false;
    if (side_.on_device()) {
      if (staging_.data() == nullptr) {
        gather();
        return false;
      }
      packing_.hurry();
      if (!packing_.reached()) return false;
    }
    if (!place_.first()) return false;
    message_ = start_send(side_.on_device() ? staging_.data() : packed(), side_.bytes, peer(), mode_);
    place_.leave();
    count_step();
    return true;
  }

  Side side_;
  Staging staging_;
  std::shared_ptr<const Staging> shared_staging_;
  SendMode mode_ = SendMode::standard;
  Turn turn_;
  Departures::Place place_;  ///< while it is not given to the MPI, if that is not done in the call
  Gather::Copy packing_;
  Posted message_;
};

/// How a message goes: announced, if there is a Transport to announce it to.
struct Way {
  std::shared_ptr<Core> core;
  bool announced = false;
  int receiver = MPI_UNDEFINED;  ///< in the private communicator, if it takes announcements
  std::optional<Offering> offer = std::nullopt;
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

/// Whether the message is given to the MPI later, since others go before it or are packed with it. Never one
/// to a rank that is not of the Transport.
bool in_turn(const Way& way, const Side& side, const Peer& to, Packing packing) {
  if (way.receiver == MPI_UNDEFINED) return false;
  if (way.core->departures.any(to)) return true;
  return packing == Packing::gathered && !way.announced && side.on_device() && way.core->gather.one_of_many();
}

Begun begin(Way way, Side side, const Peer& to, SendMode mode, Packing packing, const Packed& packed) {
  const bool later = in_turn(way, side, to, packing);
  const auto started = [&](const auto& made, auto start) {
    Progress::Place place = Progress::place_for(made);
    start();
    return Begun(std::move(place));
  };
  if (way.announced) {
    const auto made = std::make_shared<RendezvousSend>(std::move(side), to, way.core, way.receiver,
                                                       std::move(way.offer), std::move(way.ring));
    return started(made, [&] { later ? made->start_in_turn() : made->start(); });
  }
  const std::int64_t bytes = side.bytes;
  const auto made = std::make_shared<PlainSend>(std::move(side), to, way.core);
  Begun begun = started(made, [&] {
    if (packed.staging) {
      made->start(packed);
    } else if (later) {
      made->start_in_turn(mode);
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
    pieces.push_back({side.buffer, side.count, side.plan, bytes});
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

Begun begin_send(Side side, const Peer& to, SendMode mode, Packing packing) {
  Way way = way_of(side, to);
  return begin(std::move(way), std::move(side), to, mode, packing, {});
}

void begin_sends(const std::vector<Sending>& sendings, std::vector<Request>& started) {
  std::vector<Way> ways;
  for (const Sending& sending : sendings) ways.push_back(way_of(sending.side, sending.to));
  const std::vector<Packed> packed = pack_together(sendings, ways);
  started.reserve(started.size() + sendings.size());
  for (std::size_t i = 0; i < sendings.size(); ++i) {
    started.push_back(begin(std::move(ways[i]), sendings[i].side, sendings[i].to, SendMode::standard,
                            Packing::now, packed[i])
                          .request());
  }
}

}  // namespace typewarp::transport
