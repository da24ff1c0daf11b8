// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/receive.hpp"

#include "transport/core.hpp"
#include "transport/incoming.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace typewarp::transport {
namespace {

/// A receive. Whether the message comes as it is or is announced by a descriptor shows when it is matched.
class Receive final : public Operation {
 public:
  Receive(Side side, const Peer& from, std::shared_ptr<Core> home, std::shared_ptr<CommState> comm)
      : Operation(from, std::move(home)), side_(std::move(side)), comm_(std::move(comm)) {}

  /// Posts the receive to the MPI.
  void post() {
    std::byte* const data = prepare();
    message_ = start_receive(data, room_, peer());
  }

  /// Takes what a probe has found.
  void adopt(const Pending& found) {
    if (found.descriptor) {
      side_.record_turn(turn_);
      announced(*found.descriptor, found.source, found.tag);
    } else if (found.data) {
      std::byte* const data = prepare();
      std::memcpy(data, found.data->data(), descriptor_bytes);
      plain(found.source, found.tag, descriptor_bytes);
    } else {
      std::byte* const data = prepare();
      message_ = start_receive(data, room_, found.message);
    }
  }

 private:
  enum class State {
    matching,   ///< the MPI has the receive
    arriving,   ///< announced by a descriptor: through `incoming_`
    ordering,   ///< arrived whole, but earlier work in the stream still uses the memory: waits for `turn_`
    unpacking,  ///< on its way into device memory: waits for `unpacked_`
    complete,
  };

  std::byte* prepare();
  bool run(bool block) override;
  bool match(bool block);
  void plain(int source, int tag, std::int64_t bytes);
  void announced(const Descriptor& descriptor, int source, int tag);
  bool arrive();
  void refuse_truncated() const;
  void fail() override;
  void withdraw() override {
    if (state_ == State::matching) message_.cancel();
  }

  Side side_;
  std::shared_ptr<CommState> comm_;
  std::int64_t room_ = 0;
  std::byte* data_ = nullptr;
  Staging staging_;
  Posted message_;
  std::optional<cuda::Event> turn_;
  std::optional<Incoming> incoming_;
  std::optional<cuda::Event> unpacked_;
  State state_ = State::matching;
  bool wanted_ = true;
};

// Where the MPI may write from now on, with room for a descriptor where one may come: the user's memory,
// unless it is too short or work in the stream may still be using it. What is longer than `longest_plain`
// comes by descriptor if nobody else can send it.
std::byte* Receive::prepare() {
  room_ = side_.bytes;
  if (comm_ && comm_->all_members(peer().rank)) room_ = std::min(room_, home()->longest_plain());
  if (comm_ && comm_->any_member(peer().rank)) room_ = std::max(room_, descriptor_bytes);
  side_.record_turn(turn_);
  if (side_.in_place() && !reached(turn_, false)) side_.route.kind = Route::Kind::host;
  if (side_.in_place() && room_ <= side_.bytes) return data_ = side_.route.first;
  staging_ = Staging(side_.on_device() ? Route::Kind::device : Route::Kind::host, room_);
  return data_ = staging_.data();
}

bool Receive::run(bool block) {
  if (state_ == State::matching && !match(block)) return false;
  if (state_ == State::arriving && !arrive()) return false;
  if (state_ == State::ordering) {
    if (!reached(turn_, block)) return false;
    state_ = State::complete;
    if (status_.bytes > side_.bytes) refuse_truncated();
    if (staging_.data() != nullptr && status_.bytes > 0) {
      side_.unpack({0, status_.bytes}, staging_.data(), unpacked_);
    }
    state_ = State::unpacking;
  }
  if (state_ == State::unpacking) {
    if (!reached(unpacked_, block)) return false;
    state_ = State::complete;
  }
  return true;
}

bool Receive::match(bool block) {
  MPI_Status raw{};
  if (!message_.finish(block, &raw)) return false;
  count_step();
  state_ = State::complete;
  int cancelled = 0;
  mpi::check(MPI_Test_cancelled(&raw, &cancelled), "MPI_Test_cancelled");
  if (cancelled != 0) {
    status_.cancelled = true;
    return true;
  }
  const std::int64_t bytes = received_bytes(raw);
  if (bytes == descriptor_bytes && comm_ && comm_->is_member(raw.MPI_SOURCE)) {
    if (const auto descriptor = Descriptor::decode(data_, home()->identity())) {
      staging_ = Staging();
      announced(*descriptor, raw.MPI_SOURCE, raw.MPI_TAG);
      return true;
    }
  }
  plain(raw.MPI_SOURCE, raw.MPI_TAG, bytes);
  return true;
}

void Receive::plain(int source, int tag, std::int64_t bytes) {
  status_.source = source;
  status_.tag = tag;
  status_.bytes = bytes;
  state_ = wanted_ ? State::ordering : State::complete;
}

void Receive::announced(const Descriptor& descriptor, int source, int tag) {
  status_.source = source;
  status_.tag = tag;
  status_.bytes = descriptor.bytes;
  incoming_.emplace(*home(), side_, descriptor, wanted_);
  state_ = State::arriving;
}

bool Receive::arrive() {
  if (wanted_ && !reached(turn_, false)) return false;
  const std::int64_t before = incoming_->steps();
  const bool done = incoming_->advance();
  if (incoming_->steps() != before) count_step();
  if (!done) return false;
  state_ = State::complete;
  if (wanted_ && incoming_->truncated()) refuse_truncated();
  return true;
}

void Receive::refuse_truncated() const { mpi::check(MPI_ERR_TRUNCATE, "MPI_Irecv"); }

void Receive::fail() {
  wanted_ = false;
  if (state_ == State::matching) {
    if (!message_.active()) state_ = State::complete;
    message_.cancel();
  } else if (state_ == State::arriving) {
    incoming_->discard();
  } else if (state_ == State::ordering) {
    state_ = State::complete;
  }
}

}  // namespace

Request begin_receive(Side side, const Peer& from) {
  std::shared_ptr<Core> core = from.rank == MPI_PROC_NULL ? nullptr : current();
  std::shared_ptr<CommState> comm = core ? core->ranks.of(from.comm) : nullptr;
  const auto made = std::make_shared<Receive>(std::move(side), from, core, comm);
  if (!core) {
    made->post();
    return Request(made);
  }
  {
    const std::lock_guard lock(comm->mutex);
    if (const auto found = comm->pending.take(from.rank, from.tag)) {
      made->adopt(*found);
    } else {
      made->post();
    }
  }
  core->progress.add(made);
  return Request(made);
}

}  // namespace typewarp::transport
