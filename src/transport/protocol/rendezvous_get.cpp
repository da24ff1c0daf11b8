// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/rendezvous_get.hpp"

#include "transport/tuning/direct_policy.hpp"

#include <algorithm>
#include <string>

namespace typewarp::transport {
namespace {

bool may_read(const Core& core, const Side& side, const Descriptor& descriptor) {
  return descriptor.offer && descriptor.bytes <= side.bytes && core.shares_with(descriptor.sender) &&
         core.sharing().shares(side);
}

bool prefers_pieces(const Core& core, const Side& side, const Descriptor& descriptor) {
  const Offer& offer = *descriptor.offer;
  if (offer.chunk_bytes <= 0) return false;
  const std::int64_t own = average_run(side.plan, side.count, core.policy.sector);
  const std::int64_t run = std::min<std::int64_t>(offer.run, own);
  return core.policy.prefers_pieces(descriptor.bytes, run, core.sharing().near(offer.chunks, side));
}

}  // namespace

std::unique_ptr<MappedChunks> map_chunks(const Core& core, const Side& side, const Descriptor& descriptor) {
  if (!may_read(core, side, descriptor) || descriptor.offer->chunk_bytes <= 0) return nullptr;
  try {
    return core.sharing().map_chunks(descriptor.offer->chunks, side);
  } catch (const InvalidArgument&) {
    return nullptr;
  }
}

bool Pull::suits(const Core& core, const Side& side, const Descriptor& descriptor) {
  return may_read(core, side, descriptor) && descriptor.offer->whole &&
         !prefers_pieces(core, side, descriptor);
}

Pull::Pull(Core& core, const Side& side, const Descriptor& descriptor, Gather::Candidate& message)
    : core_(core), side_(side), message_(message), descriptor_(descriptor), offer_(*descriptor_.offer) {}

bool Pull::advance() {
  while (answer_.test() && step_on()) continue;
  return state_ == State::over || state_ == State::impossible;
}

bool Pull::step_on() {
  switch (state_) {
    case State::finding:
      return find();
    case State::asking:
      return take_wire();
    case State::mapping:
      return map();
    case State::waiting:
      return take_ready();
    case State::copying:
      return copied();
    case State::telling:
      return noted_.test() && step(State::over);
    case State::over:
    case State::impossible:
      break;
  }
  return false;
}

bool Pull::step(State state) noexcept {
  state_ = state;
  ++steps_;
  return true;
}

bool Pull::find() {
  if (discarding_) return end(Verdict::refused);
  if (knows_plan()) return step(State::mapping);
  if (!offer_.wire().empty()) return read_wire(offer_.wire());
  if (offer_.wire_bytes <= 0 || offer_.wire_bytes > direct_policy.longest_wire) {
    return step(State::impossible);
  }
  expect(offer_.wire_bytes);
  answer(Verdict::send_wire);
  return step(State::asking);
}

bool Pull::knows_plan() {
  const plan::WireName* const own = plan::wire_name(side_.plan);
  if (own != nullptr && own->identity == offer_.plan) {
    plan_ = side_.plan;
  } else {
    plan_ = core_.layouts.find(offer_.plan);
  }
  return plan_.has_value();
}

bool Pull::read_wire(std::span<const std::byte> wire) {
  try {
    plan_ = plan::from_wire(wire);
  } catch (const InvalidArgument&) {
    return step(State::impossible);
  }
  if (plan::identity(*plan_) != offer_.plan) return step(State::impossible);
  core_.layouts.keep(offer_.plan, *plan_, std::ssize(wire));
  return step(State::mapping);
}

bool Pull::take_wire() {
  MPI_Status status{};
  if (!noted_.test(&status)) return false;
  const std::int64_t bytes = received_bytes(status);
  if (bytes == 0) return sender_failed();
  return discarding_ ? end(Verdict::refused)
                     : read_wire(std::span(note_).first(static_cast<std::size_t>(bytes)));
}

bool Pull::map() {
  if (discarding_) return end(Verdict::refused);
  if (!plan_fits()) return step(State::impossible);
  try {
    reading_ = core_.sharing().map(offer_.memory, side_);
  } catch (const InvalidArgument&) {
    reading_ = nullptr;
  }
  if (reading_ == nullptr) return step(State::impossible);
  if (offer_.readable) return copy();
  expect(1);
  answer(Verdict::say_ready);
  return step(State::waiting);
}

bool Pull::plan_fits() {
  const std::optional<Bounds> span = bounds(*plan_, offer_.count);
  std::int64_t bytes = 0;
  if (!span || __builtin_mul_overflow(plan_->size(), offer_.count, &bytes) || bytes != descriptor_.bytes) {
    return false;
  }
  span_ = *span;
  const cuda::SharedMemory& memory = offer_.memory;
  return memory.offset >= 0 && memory.offset <= memory.size && span_.span() <= memory.size - memory.offset;
}

bool Pull::take_ready() {
  MPI_Status status{};
  if (!noted_.test(&status)) return false;
  if (received_bytes(status) == 0) return sender_failed();
  return discarding_ ? end(Verdict::taken) : copy();
}

bool Pull::copy() {
  outcome_ = Verdict::failed;  // unless all of it is under way
  step(State::copying);
  reading_->start(*plan_, offer_.count, span_, descriptor_.bytes, message_);
  outcome_ = Verdict::taken;
  return true;
}

bool Pull::copied() {
  try {
    if (!reading_->done()) return false;
  } catch (...) {
    outcome_ = Verdict::failed;
    throw;
  }
  reading_.reset();
  return end(outcome_);
}

// What the sender sends next: nothing if it has failed, and is gone then.
void Pull::expect(std::int64_t bytes) {
  tag_ = core_.tags.take();
  note_.resize(static_cast<std::size_t>(bytes));
  noted_ = start_receive(note_.data(), bytes, {descriptor_.sender, tag_.value(), core_.comm()});
}

void Pull::answer(Verdict verdict) {
  clearance_ = {verdict, tag_.value(), 0};
  answer_ = start_send(reinterpret_cast<const std::byte*>(&clearance_), sizeof(clearance_),
                       {descriptor_.sender, descriptor_.reply_tag, core_.comm()});
}

bool Pull::end(Verdict verdict) {
  noted_.cancel();  // where asking failed half way
  answer(verdict);
  return step(State::telling);
}

bool Pull::sender_failed() {
  step(State::over);
  if (discarding_) return true;
  throw Error("typewarp: the sender, rank " + std::to_string(descriptor_.sender) +
              " of the Transport, failed in the middle of a message");
}

void Pull::discard() {
  discarding_ = true;
  if (reading_) reading_->withdraw();
}

}  // namespace typewarp::transport
