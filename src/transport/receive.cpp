// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/receive.hpp"

#include "transport/core.hpp"
#include "transport/incoming.hpp"
#include "transport/pull.hpp"
#include "transport/through_ring.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

/// A receive. Whether the message comes as it is or is announced by a descriptor shows when it is matched.
class Receive final : public Operation {
 public:
  Receive(Side side, const Peer& from, std::shared_ptr<Core> home, std::shared_ptr<CommState> comm)
      : Operation(from, std::move(home)),
        side_(std::move(side)),
        comm_(std::move(comm)),
        candidate_(candidate()) {}

  /// Posts the receive to the MPI.
  void post() {
    std::byte* const data = prepare();
    message_ = start_receive(data, room_, peer());
  }

  /// Takes what a probe has found, of which the place is still to be given: nothing is lost if this throws.
  void adopt(const Pending& found) {
    std::byte* const data = prepare();
    if (found.message != MPI_MESSAGE_NULL) message_ = start_receive(data, room_, found.message);
  }
  void keep(PendingMessages::Place place) noexcept {
    if (place.front().message == MPI_MESSAGE_NULL) found_ = std::move(place);
  }
  /// Goes on from a descriptor that has been received.
  void go_on(const Descriptor& descriptor, const Status& from) noexcept {
    try {
      expect(descriptor, from.source, from.tag);
      turn_ = side_.turn();
      choose_way();
    } catch (...) {
      if (!arrival_) state_ = State::complete;
      give_up(std::current_exception());
    }
  }

 private:
  enum class State {
    matching,   ///< the MPI has the receive
    arriving,   ///< announced by a descriptor: by `arrival_`
    ordering,   ///< arrived whole, but earlier work in the stream still uses the memory: waits for `turn_`
    unpacking,  ///< on its way into device memory: waits for `copy_`, or `unpacked_` outside of a Transport
    complete,
  };

  /// How an announced message comes. Apart, since most are not, and a receive is the faster the less of it
  /// there is.
  struct Arrival {
    Descriptor descriptor;
    std::optional<RingReader> ring;
    std::optional<Pull> pull;
    std::optional<Incoming> incoming;
  };

  Gather::Candidate candidate() {
    if (!home() || !side_.on_device()) return {};
    return {home()->gather, side_.route.device};
  }
  std::byte* prepare();
  Route::Kind staging_kind() const;
  bool run(bool block) override;
  bool match(bool block);
  bool match_found(bool block);
  void matched(int source, int tag, std::int64_t bytes);
  void plain(int source, int tag, std::int64_t bytes);
  void expect(const Descriptor& descriptor, int source, int tag);
  void choose_way();
  void take_pieces();
  void refuse();
  bool arrive();
  void unpack();
  template <typename Way>
  bool advance(Way& way);
  void refuse_truncated() const;
  void fail() override;
  void withdraw() override {
    if (state_ == State::matching) message_.cancel();
  }

  Side side_;
  std::shared_ptr<CommState> comm_;
  Gather::Candidate candidate_;  ///< within a Transport, of a device
  std::int64_t room_ = 0;
  std::byte* data_ = nullptr;
  Staging staging_;
  Posted message_;
  PendingMessages::Place found_;  ///< the message, if a probe received it
  Turn turn_;
  std::unique_ptr<Arrival> arrival_;  ///< of an announced message
  std::optional<cuda::Event> unpacked_;
  Gather::Copy copy_;
  State state_ = State::matching;
  bool wanted_ = true;
};

// Where the MPI may write from now on: the user's memory, unless it is too short or work in the stream may
// still be using it.
std::byte* Receive::prepare() {
  room_ = comm_ ? room_for(side_.bytes, *home(), *comm_, peer().rank) : side_.bytes;
  turn_ = side_.turn();
  if (side_.in_place() && !turn_.reached(false)) side_.route.kind = Route::Kind::host;
  if (side_.in_place() && room_ <= side_.bytes) return data_ = side_.route.first;
  staging_ = Staging(staging_kind(), room_);
  return data_ = staging_.data();
}

// Most long messages of a Transport leave but a descriptor in their room: no pages are locked for them.
Route::Kind Receive::staging_kind() const {
  if (!side_.on_device()) return Route::Kind::host;
  return home() && room_ > home()->longest_plain() ? Route::Kind::host : Route::Kind::device;
}

bool Receive::run(bool block) {
  if (state_ == State::matching && !match(block)) return false;
  if (state_ == State::arriving && !arrive()) return false;
  if (state_ == State::ordering) {
    if (!turn_.reached(block)) return false;
    state_ = State::complete;
    if (status_.bytes > side_.bytes) refuse_truncated();
    state_ = State::unpacking;
    if (staging_.data() != nullptr && status_.bytes > 0) unpack();
  }
  if (state_ == State::unpacking) {
    if (!reached(unpacked_, block) || !copy_.reached()) return false;
    state_ = State::complete;
  }
  candidate_.leave();
  return true;
}

void Receive::unpack() {
  if (!candidate_ || staging_kind() == Route::Kind::host) {
    return side_.unpack({0, status_.bytes}, staging_.data(), unpacked_);
  }
  const cuda::Side from{nullptr, status_.bytes, staging_.data(), MemoryKind::pinned};
  copy_ = candidate_.copy(side_.at_home(), from, status_.bytes);
}

bool Receive::match_found(bool block) {
  Pending& found = found_.front();
  if (!found.arriving.finish(block)) return false;
  std::memcpy(data_, found.data.data(), descriptor_bytes);
  matched(found.source, found.tag, descriptor_bytes);
  found_.clear();
  return true;
}

bool Receive::match(bool block) {
  if (!found_.empty()) return match_found(block);
  MPI_Status raw{};
  if (!message_.finish(block, &raw)) return false;
  state_ = State::complete;
  int cancelled = 0;
  mpi::check(MPI_Test_cancelled(&raw, &cancelled), "MPI_Test_cancelled");
  if (cancelled != 0) {
    status_.cancelled = true;
    return true;
  }
  matched(raw.MPI_SOURCE, raw.MPI_TAG, received_bytes(raw));
  return true;
}

void Receive::matched(int source, int tag, std::int64_t bytes) {
  count_step();
  if (bytes == descriptor_bytes && comm_ && comm_->is_member(source)) {
    if (const auto descriptor = Descriptor::decode(data_, home()->identity())) {
      staging_ = Staging();
      expect(*descriptor, source, tag);
      return choose_way();
    }
  }
  plain(source, tag, bytes);
}

void Receive::plain(int source, int tag, std::int64_t bytes) {
  status_.source = source;
  status_.tag = tag;
  status_.bytes = bytes;
  state_ = wanted_ ? State::ordering : State::complete;
}

// From here on the sender waits for an answer, whatever fails.
void Receive::expect(const Descriptor& descriptor, int source, int tag) {
  status_.source = source;
  status_.tag = tag;
  status_.bytes = descriptor.bytes;
  arrival_ = std::make_unique<Arrival>(descriptor);
  state_ = State::arriving;
}

void Receive::choose_way() {
  const Descriptor& descriptor = arrival_->descriptor;
  if (wanted_ && RingReader::suits(*home(), side_, descriptor)) {
    arrival_->ring.emplace(*home(), side_, descriptor);
  } else if (wanted_ && Pull::suits(*home(), side_, descriptor)) {
    arrival_->pull.emplace(*home(), side_, descriptor, candidate_);
  } else {
    take_pieces();
  }
}

bool Receive::arrive() {
  if (wanted_ && !turn_.reached(false)) return false;
  if (arrival_->ring && !advance(*arrival_->ring)) return false;
  if (std::optional<Pull>& pull = arrival_->pull) {
    if (!advance(*pull)) return false;
    if (pull->impossible()) take_pieces();
    pull.reset();
  }
  std::optional<Incoming>& incoming = arrival_->incoming;
  if (incoming) {
    const bool done = advance(*incoming);
    wait_for_memory(incoming->waits_for_memory());
    if (!done) return false;
  }
  state_ = State::complete;
  if (wanted_ && incoming && incoming->truncated()) refuse_truncated();
  return true;
}

void Receive::take_pieces() {
  candidate_.leave();
  const Descriptor& descriptor = arrival_->descriptor;
  arrival_->incoming.emplace(*home(), side_, descriptor, wanted_,
                             wanted_ ? map_chunks(*home(), side_, descriptor) : nullptr);
}

// Where no way could be made ready.
void Receive::refuse() {
  candidate_.leave();
  arrival_->incoming.emplace(*home(), side_, arrival_->descriptor, false);
}

template <typename Way>
bool Receive::advance(Way& way) {
  const std::int64_t before = way.steps();
  const bool done = way.advance();
  if (way.steps() != before) count_step();
  return done;
}

void Receive::refuse_truncated() const { transport::refuse_truncated(status_.bytes, side_.bytes); }

void Receive::fail() {
  wanted_ = false;
  if (state_ == State::matching) {
    if (!message_.active() && found_.empty()) state_ = State::complete;
    message_.cancel();
  } else if (state_ == State::arriving) {
    if (arrival_->ring) arrival_->ring->discard();
    if (arrival_->pull) arrival_->pull->discard();
    if (arrival_->incoming) arrival_->incoming->discard();
    if (!arrival_->ring && !arrival_->pull && !arrival_->incoming) refuse();
  } else if (state_ == State::ordering) {
    state_ = State::complete;
  }
  copy_.withdraw();
}

}  // namespace

void refuse_truncated(std::int64_t bytes, std::int64_t room) {
  constexpr bool raised = false;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(MPI_ERR_TRUNCATE, text.data(), &length);
  throw MpiError("MPI_Irecv", MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE,
                 std::string(text.data(), static_cast<std::size_t>(length)) + " (" + std::to_string(bytes) +
                     " bytes came where there is room for " + std::to_string(room) + ")",
                 raised);
}

std::int64_t room_for(std::int64_t bytes, const Core& core, const CommState& comm, int source) {
  if (comm.all_members(source) && !core.mixed()) bytes = std::min(bytes, core.longest_plain());
  return comm.any_member(source) ? std::max(bytes, descriptor_bytes) : bytes;
}

Begun receive_announced(Side side, const Peer& from, const Descriptor& descriptor, const Status& status) {
  const std::shared_ptr<Core> core = current();
  const auto made = std::make_shared<Receive>(std::move(side), from, core, core->ranks.of(from.comm));
  made->go_on(descriptor, status);
  return Begun(Progress::place_for(made));
}

Begun receive_found(Side side, MPI_Comm comm, PendingMessages::Place&& found) {
  std::shared_ptr<Core> core = current();
  std::shared_ptr<CommState> state = core ? core->ranks.of(comm) : nullptr;
  const Peer from{found.front().source, found.front().tag, comm};
  const auto made = std::make_shared<Receive>(std::move(side), from, std::move(core), std::move(state));
  Progress::Place place = Progress::place_for(made);
  made->adopt(found.front());
  made->keep(std::move(found));
  return Begun(std::move(place));
}

Begun begin_receive(Side side, const Peer& from) {
  std::shared_ptr<Core> core = from.rank == MPI_PROC_NULL ? nullptr : current();
  std::shared_ptr<CommState> comm = core ? core->ranks.of(from.comm) : nullptr;
  const auto made = std::make_shared<Receive>(std::move(side), from, core, comm);
  if (!core) {
    made->post();
    return Begun(Progress::place_for(made));
  }
  Progress::Place place = Progress::place_for(made);
  {
    const std::lock_guard lock(comm->mutex);
    if (const Pending* found = comm->pending.find(from.rank, from.tag)) {
      made->adopt(*found);
      made->keep(comm->pending.take(*found));
    } else {
      made->post();
    }
  }
  return Begun(std::move(place));
}

}  // namespace typewarp::transport
