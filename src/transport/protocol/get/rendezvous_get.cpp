// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/get/rendezvous_get.hpp"

#include "transport/tuning/policy.hpp"

namespace typewarp::transport {

std::optional<DirectOffer> DirectOffer::of(const Rts& rts) {
  std::span<const std::byte> wire;
  const auto offer = rts.offers.find<DirectOffer>(get_row.id, wire);
  return wire.size() <= longest_inline_wire ? offer : std::nullopt;
}

std::span<const std::byte> inline_wire(const Rts& rts) {
  std::span<const std::byte> wire;
  rts.offers.find<DirectOffer>(get_row.id, wire);
  return wire;
}

KnownPlans& KnownPlans::of(SessionState& session) {
  return static_cast<KnownPlans&>(*session.channels[get_row.id]);
}

RendezvousGet::RendezvousGet(const ReceiveContext& message)
    : ReceiveProtocol(message),
      sharing_(message.session.ipc.sharing()),
      offer_(*DirectOffer::of(message.rts)),
      plans_(KnownPlans::of(message.session).plans),
      side_(message.side),
      message_(message.candidate),
      reply_(message.session, rts()) {}

bool RendezvousGet::advance() {
  while (reply_.left() && step_on()) continue;
  return state_ == State::over || state_ == State::impossible;
}

bool RendezvousGet::step_on() {
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
      return note_.posted.test() && step(State::over);
    case State::over:
    case State::impossible:
      break;
  }
  return false;
}

bool RendezvousGet::step(State state) noexcept {
  state_ = state;
  impossible_ = state == State::impossible;
  ++steps_;
  return true;
}

bool RendezvousGet::find() {
  if (discarding_) return end(Code::refused);
  if (knows_plan()) return step(State::mapping);
  if (const auto wire = inline_wire(rts()); !wire.empty()) return read_wire(wire);
  if (offer_.wire_bytes <= 0 || offer_.wire_bytes > remote_plan_policy.longest_wire) {
    return step(State::impossible);
  }
  expect(offer_.wire_bytes);
  ask(AskedFor::wire);
  return step(State::asking);
}

bool RendezvousGet::knows_plan() {
  const plan::WireName* const own = plan::wire_name(side_.plan);
  if (own != nullptr && own->identity == offer_.plan) {
    source_.plan = side_.plan;
  } else {
    source_.plan = plans_.find(offer_.plan);
  }
  return source_.plan.has_value();
}

bool RendezvousGet::read_wire(std::span<const std::byte> wire) {
  try {
    source_.plan = plan::from_wire(wire);
  } catch (const InvalidArgument&) {
    return step(State::impossible);
  }
  if (plan::identity(*source_.plan) != offer_.plan) return step(State::impossible);
  plans_.keep(offer_.plan, *source_.plan, std::ssize(wire));
  return step(State::mapping);
}

bool RendezvousGet::take_wire() {
  MPI_Status status{};
  if (!note_.posted.test(&status)) return false;
  const std::int64_t bytes = received_bytes(status);
  if (bytes == 0) return sender_failed();
  return discarding_ ? end(Code::refused)
                     : read_wire(std::span(note_.bytes).first(static_cast<std::size_t>(bytes)));
}

bool RendezvousGet::map() {
  if (discarding_) return end(Code::refused);
  if (!plan_fits()) return step(State::impossible);
  try {
    copy_.reading = sharing_.map(offer_.memory, side_);
  } catch (const InvalidArgument&) {
    copy_.reading = nullptr;
  }
  if (copy_.reading == nullptr) return step(State::impossible);
  if (offer_.readable) return copy();
  expect(1);
  ask(AskedFor::ready);
  return step(State::waiting);
}

bool RendezvousGet::plan_fits() {
  const std::optional<plan::Bounds> span = plan::bounds(*source_.plan, offer_.count);
  std::int64_t bytes = 0;
  if (!span || __builtin_mul_overflow(source_.plan->size(), offer_.count, &bytes) || bytes != rts().bytes) {
    return false;
  }
  source_.span = *span;
  const gpu::SharedMemory& memory = offer_.memory;
  return memory.offset >= 0 && memory.offset <= memory.size &&
         source_.span.span() <= memory.size - memory.offset;
}

bool RendezvousGet::take_ready() {
  MPI_Status status{};
  if (!note_.posted.test(&status)) return false;
  if (received_bytes(status) == 0) return sender_failed();
  return discarding_ ? end(Code::taken) : copy();
}

bool RendezvousGet::copy() {
  copy_.outcome = Code::failed;  // unless all of it is under way
  step(State::copying);
  copy_.reading->start(*source_.plan, offer_.count, source_.span, rts().bytes, message_);
  copy_.outcome = Code::taken;
  return true;
}

bool RendezvousGet::copied() {
  try {
    if (!copy_.reading->done()) return false;
  } catch (...) {
    copy_.outcome = Code::failed;
    throw;
  }
  copy_.reading.reset();
  return end(copy_.outcome);
}

// Posts the receive of what the sender sends next: no bytes if it has failed.
void RendezvousGet::expect(std::int64_t bytes) {
  reply_.open_data();
  note_.bytes.resize(static_cast<std::size_t>(bytes));
  note_.posted = start_receive(note_.bytes.data(), bytes, reply_.data());
}

void RendezvousGet::ask(AskedFor what) { reply_.give(Code::asks, row(), static_cast<std::int32_t>(what)); }

bool RendezvousGet::end(Code code) {
  note_.posted.cancel();  // where asking failed half way
  reply_.give(code, row());
  return step(State::telling);
}

bool RendezvousGet::sender_failed() {
  step(State::over);
  if (discarding_) return true;
  reply_.sender_failed();
}

void RendezvousGet::discard() {
  discarding_ = true;
  if (copy_.reading) copy_.reading->withdraw();
}

}  // namespace typewarp::transport
