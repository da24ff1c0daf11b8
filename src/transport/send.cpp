// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/send.hpp"

#include "transport/core.hpp"
#include "transport/outgoing.hpp"

#include <utility>

namespace typewarp::transport {
namespace {

/// The whole packed stream as one message: eager within a Transport, and all there is outside.
class PlainSend final : public Operation {
 public:
  PlainSend(Side side, const Peer& to, std::shared_ptr<Core> home)
      : Operation(to, std::move(home)), side_(std::move(side)) {
    status_.bytes = side_.bytes;
  }

  void start(SendMode mode) { message_ = start_send(gather(), side_.bytes, peer(), mode); }

 private:
  bool run(bool block) override { return message_.finish(block); }
  void fail() override {}

  // Packs what is sent, unless it is sent in place, and returns where the packed bytes lie, all written.
  const std::byte* gather() {
    std::optional<cuda::Event> event;
    side_.record_turn(event);
    reached(event, true);
    if (side_.in_place()) return side_.route.first;
    staging_ = Staging(side_.route.kind, side_.bytes);
    side_.pack({0, side_.bytes}, staging_.data(), event);
    reached(event, true);
    return staging_.data();
  }

  Side side_;
  Staging staging_;
  Posted message_;
};

/// A message that is announced by a descriptor and sent in pieces once its receiver has cleared it.
class RendezvousSend final : public Operation {
 public:
  RendezvousSend(Side side, const Peer& to, std::shared_ptr<Core> home, int receiver)
      : Operation(to, std::move(home)), side_(std::move(side)), receiver_(receiver) {
    status_.bytes = side_.bytes;
  }

  void start() {
    side_.record_turn(turn_);
    tag_ = home()->tags.take();
    const std::int64_t piece_limit = side_.in_place() ? 0 : home()->outgoing.chunk_bytes();
    descriptor_ =
        Descriptor{side_.bytes, piece_limit, home()->rank(), tag_.value()}.encode(home()->identity());
    answer_ = start_receive(reinterpret_cast<std::byte*>(&clearance_), sizeof(clearance_),
                            {receiver_, tag_.value(), home()->comm()});
    try {
      offer_ = start_send(descriptor_.data(), descriptor_bytes, peer());
    } catch (...) {
      answer_.cancel();
      answer_.finish(true);
      throw;
    }
  }

 private:
  enum class State { waiting, ordering, moving, leaving };

  bool run(bool) override {
    if (state_ == State::waiting) {
      if (!answer_.test()) return false;
      cleared();
    }
    if (state_ == State::ordering) {
      if (!reached(turn_, false)) return false;
      state_ = State::moving;
    }
    if (state_ == State::moving) {
      const std::int64_t before = pieces_->steps();
      const bool done = pieces_->advance();
      if (pieces_->steps() != before) count_step();
      if (!done) return false;
      state_ = State::leaving;
    }
    return offer_.test();
  }

  void cleared() {
    count_step();
    state_ = State::leaving;
    if (clearance_.verdict == Clearance::Verdict::refused) return;
    pieces_.emplace(*home(), side_, Peer{receiver_, clearance_.data_tag, home()->comm()},
                    clearance_.piece_bytes);
    state_ = given_up_ ? State::moving : State::ordering;
    if (given_up_) pieces_->fail();
  }

  // A receiver that was offered something will answer, and then is told that there is nothing.
  void fail() override {
    given_up_ = true;
    if (state_ == State::waiting && !answer_.active()) state_ = State::leaving;
    if (state_ == State::ordering) state_ = State::moving;
    if (state_ == State::moving) pieces_->fail();
  }

  Side side_;
  int receiver_;
  std::optional<cuda::Event> turn_;
  Tag tag_;
  DescriptorBytes descriptor_;
  Posted offer_;
  Clearance clearance_{};
  Posted answer_;
  std::optional<Outgoing> pieces_;
  State state_ = State::waiting;
  bool given_up_ = false;
};

}  // namespace

Request begin_send(Side side, const Peer& to, SendMode mode) {
  std::shared_ptr<Core> core = to.rank == MPI_PROC_NULL ? nullptr : current();
  const std::shared_ptr<CommState> comm = core ? core->ranks.of(to.comm) : nullptr;
  if (comm && comm->is_member(to.rank) && !core->is_plain(side.bytes)) {
    const auto made =
        std::make_shared<RendezvousSend>(std::move(side), to, core, comm->private_rank(to.rank));
    made->start();
    core->progress.add(made);
    return Request(made);
  }
  const auto made = std::make_shared<PlainSend>(std::move(side), to, core);
  made->start(mode);
  if (core) core->progress.add(made);
  return Request(made);
}

}  // namespace typewarp::transport
