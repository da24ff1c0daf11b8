// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/through_ring.hpp"

#include <algorithm>
#include <string>

namespace typewarp::transport {

OwnRing take_ring(Core& core, const Side& side, int receiver) {
  if (side.on_device() || side.bytes < core.ring_policy.least_bytes || !core.rings.reach(receiver)) return {};
  // One copy by the MPI is sooner there than two, and what it can send as is needs no answer.
  if (side.in_place() && core.is_plain(side.bytes)) return {};
  return core.rings.take();
}

RingWriter::RingWriter(OwnRing ring, const Side& side, const RingPolicy& policy)
    : ring_(std::move(ring)), side_(side), policy_(policy) {}

// What the MPI may get to send in place is not packed before it is known that it does not.
void RingWriter::advance() {
  const RingState& state = *ring_.ring().state;
  if (side_.in_place() && !state.claimed.load(std::memory_order_relaxed)) return;
  const std::int64_t enough = written_ + policy_.bytes_at_a_time;
  while (written_ < enough && write()) continue;
}

bool RingWriter::write() {
  const Ring& ring = ring_.ring();
  const std::int64_t wanted =
      std::min({policy_.piece_bytes(side_.bytes), side_.bytes - written_, Ring::consecutive(written_)});
  if (wanted == 0) return false;
  if (written_ + wanted - seen_ > RingPolicy::capacity) {
    seen_ = ring.state->read.load(std::memory_order_acquire);
    if (written_ + wanted - seen_ > RingPolicy::capacity) return false;
  }
  std::optional<cuda::Event> done;  // none: this is host memory
  side_.pack({written_, written_ + wanted}, ring.place(written_), done);
  written_ += wanted;
  ring.state->written.store(written_, std::memory_order_release);
  return true;
}

std::optional<Clearance> RingWriter::answer() const noexcept {
  const RingState& state = *ring_.ring().state;
  if (!state.answered.load(std::memory_order_acquire)) return std::nullopt;
  return state.clearance;
}

// Where both sides are consecutive the MPI copies once, and this would twice.
bool RingReader::suits(const Side& side, const Descriptor& descriptor) {
  const bool sender_in_place = descriptor.piece_limit == 0;
  return descriptor.ring >= 0 && descriptor.bytes <= side.bytes && !side.on_device() &&
         !(side.in_place() && sender_in_place);
}

RingReader::RingReader(const Ring& ring, const Side& side, const Descriptor& descriptor,
                       const RingPolicy& policy)
    : ring_(ring), side_(side), policy_(policy), sender_(descriptor.sender), bytes_(descriptor.bytes) {
  ring_.state->claimed.store(true, std::memory_order_relaxed);
}

bool RingReader::advance() {
  if (over_) return true;
  if (discarding_) return end(Clearance::Verdict::taken);
  if (ring_.state->failed.load(std::memory_order_acquire)) {
    end(Clearance::Verdict::refused);
    throw Error("typewarp: the sender, rank " + std::to_string(sender_) +
                " of the Transport, failed in the middle of a message");
  }
  const std::int64_t enough = read_ + policy_.bytes_at_a_time;
  while (read_ < enough && read()) continue;
  return read_ == bytes_ && end(Clearance::Verdict::taken);
}

bool RingReader::read() {
  const std::int64_t there = ring_.state->written.load(std::memory_order_acquire) - read_;
  const std::int64_t piece =
      std::min({there, bytes_ - read_, Ring::consecutive(read_), policy_.longest_piece});
  if (piece <= 0) return false;
  std::optional<cuda::Event> done;  // none: this is host memory
  side_.unpack({read_, read_ + piece}, ring_.place(read_), done);
  read_ += piece;
  ring_.state->read.store(read_, std::memory_order_release);
  return true;
}

bool RingReader::end(Clearance::Verdict verdict) {
  ring_.answer({verdict, 0, 0});
  return over_ = true;
}

}  // namespace typewarp::transport
