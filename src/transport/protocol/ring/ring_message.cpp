// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/ring/ring_message.hpp"

#include "transport/protocol/fragments/cts.hpp"

#include <algorithm>

namespace typewarp::transport {

RingWriter::RingWriter(OwnRing ring, const MessageBuffer& side, const RingPolicy& policy)
    : ring_(std::move(ring)), side_(side), policy_(policy) {
  ring_.set_bytes(side.bytes);
}

// A contiguous message that the receiver may read in place is packed only if the receiver claims the ring.
void RingWriter::advance() {
  if (side_.in_place()) copied_ = ring_.ring().copied();
  if (side_.in_place() && side_.bytes > policy_.most_in_place && !ring_.ring().claimed()) return;
  const std::int64_t enough = written_ + policy_.bytes_at_a_time;
  while (written_ < enough && write()) continue;
}

bool RingWriter::write() {
  const Ring& ring = ring_.ring();
  const std::int64_t wanted = std::min({policy_.fragment_bytes(side_.bytes, ring.is_long()),
                                        side_.bytes - written_, ring.consecutive(written_)});
  if (wanted == 0) return false;
  if (written_ + wanted - seen_ > ring.capacity) {
    seen_ = std::min(ring.read(), written_);  // the receiver may write what it likes there
    if (written_ + wanted - seen_ > ring.capacity) return false;
  }
  std::optional<gpu::Event> done;  // none: this is host memory
  side_.pack({written_, written_ + wanted}, ring.place(written_), done);
  written_ += wanted;
  ring.note_written(written_);
  return true;
}

std::optional<Cts> RingWriter::answer() const noexcept {
  if (!ring_.ring().answered()) return std::nullopt;
  return ring_.ring().state->clearance;
}

RingReader::RingReader(const Rings& rings, const RingPolicy& policy, const MessageBuffer& side,
                       const Rts& rts, const RingKey& offer)
    : rings_(rings),
      ring_(rings.of(rts.sender, offer)),
      side_(side),
      policy_(policy),
      sender_(rts.sender),
      bytes_(rts.bytes) {
  if (side.in_place() && bytes_ > policy_.most_in_place) {
    data_ = reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(offer.data));
  }
  if (data_ == nullptr) ring_.claim();
}

bool RingReader::advance() {
  if (over_) return true;
  if (discarding_) return end(Cts::Code::taken);
  if (ring_.failed()) {
    end(Cts::Code::refused);
    sender_failed(sender_);
  }
  const std::int64_t enough = read_ + (data_ != nullptr ? policy_.read_at_a_time : policy_.bytes_at_a_time);
  while (read_ < enough && (data_ != nullptr ? read_memory() : read())) continue;
  return read_ == bytes_ && end(Cts::Code::taken);
}

bool RingReader::read() {
  const std::int64_t there = ring_.written() - read_;
  const std::int64_t fragment =
      std::min({there, bytes_ - read_, ring_.consecutive(read_), policy_.longest(ring_.is_long())});
  if (fragment <= 0) return false;
  std::optional<gpu::Event> done;  // none: this is host memory
  side_.unpack({read_, read_ + fragment}, ring_.place(read_), done);
  read_ += fragment;
  if (bytes_ > ring_.capacity) ring_.note_read(read_);  // else nobody waits for it
  return true;
}

bool RingReader::read_memory() {
  const std::int64_t fragment = std::min(bytes_ - read_, policy_.read_at_a_time);
  if (fragment == 0) return false;
  if (!rings_.read(sender_, data_ + read_, side_.route.first + read_, fragment)) {
    data_ = nullptr;  // then through the ring, from the start
    read_ = 0;
    ring_.claim();
    return false;
  }
  read_ += fragment;
  ring_.note_copied(read_);
  return true;
}

bool RingReader::end(Cts::Code code) {
  ring_.answer({.code = code, .channel = 0, .detail = 0, .data_tag = 0, .fragment_bytes = 0});
  return over_ = true;
}

}  // namespace typewarp::transport
