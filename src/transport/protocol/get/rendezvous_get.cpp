// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/get/rendezvous_get.hpp"

#include "transport/tuning/policy.hpp"

#include <utility>

namespace typewarp::transport {

RendezvousGet::RendezvousGet(const ReceiveContext& message)
    : ReceiveProtocol(message),
      sharing_(message.session.ipc.sharing()),
      plans_(message.session.plans),
      side_(message.side),
      message_(message.candidate),
      reply_(message.rts, message.session.comm, message.session.rings.get()) {}

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
  if (!key().wire().empty()) return read_wire(key().wire());
  if (key().wire_bytes <= 0 || key().wire_bytes > direct_policy.longest_wire) {
    return step(State::impossible);
  }
  expect(key().wire_bytes);
  reply_.give(Code::send_wire);
  return step(State::asking);
}

bool RendezvousGet::knows_plan() {
  const plan::WireName* const own = plan::wire_name(side_.plan);
  if (own != nullptr && own->identity == key().plan) {
    source_.plan = side_.plan;
  } else {
    source_.plan = plans_.find(key().plan);
  }
  return source_.plan.has_value();
}

bool RendezvousGet::read_wire(std::span<const std::byte> wire) {
  try {
    source_.plan = plan::from_wire(wire);
  } catch (const InvalidArgument&) {
    return step(State::impossible);
  }
  if (plan::identity(*source_.plan) != key().plan) return step(State::impossible);
  plans_.keep(key().plan, *source_.plan, std::ssize(wire));
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
    copy_.reading = sharing_.map(key().memory, side_);
  } catch (const InvalidArgument&) {
    copy_.reading = nullptr;
  }
  if (copy_.reading == nullptr) return step(State::impossible);
  if (key().readable) return copy();
  expect(1);
  reply_.give(Code::say_ready);
  return step(State::waiting);
}

bool RendezvousGet::plan_fits() {
  const std::optional<plan::Bounds> span = plan::bounds(*source_.plan, key().count);
  std::int64_t bytes = 0;
  if (!span || __builtin_mul_overflow(source_.plan->size(), key().count, &bytes) || bytes != rts().bytes) {
    return false;
  }
  source_.span = *span;
  const gpu::SharedMemory& memory = key().memory;
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
  copy_.reading->start(*source_.plan, key().count, source_.span, rts().bytes, message_);
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

// What the sender sends next: nothing if it has failed, and is gone then.
void RendezvousGet::expect(std::int64_t bytes) {
  reply_.open_data();
  note_.bytes.resize(static_cast<std::size_t>(bytes));
  note_.posted = start_receive(note_.bytes.data(), bytes, reply_.data());
}

bool RendezvousGet::end(Code verdict) {
  note_.posted.cancel();  // where asking failed half way
  reply_.give(verdict);
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
