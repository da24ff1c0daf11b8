// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragment_sender.hpp"

#include <algorithm>

namespace typewarp::transport {

Outgoing::Outgoing(Core& core, const Side& side, const Peer& to, std::int64_t piece_bytes,
                   std::optional<SharedWay> shared, std::optional<LinkWay> linked)
    : core_(core), side_(side), to_(to), piece_bytes_(piece_bytes), shared_(shared), linked_(linked) {}

Chunk Outgoing::take_chunk() {
  if (linked_) return linked_->chunks->outgoing.take();
  return shared_ ? shared_->chunks.chunks.take() : core_.outgoing.take();
}

Transfer Outgoing::start(const std::byte* data, std::int64_t bytes) {
  return linked_ ? linked_->link->start_send(data, bytes, to_.rank, to_.tag) : start_send(data, bytes, to_);
}

bool Outgoing::advance() {
  if (failed_) return close();
  dispatch();  // what has been packed meanwhile leaves before more is packed
  bool moved = true;
  for (int pass = 0; moved && pass < passes_at_a_time; ++pass) {
    moved = retire();
    moved = prepare() || moved;
    moved = dispatch() || moved;
  }
  return offset_ == side_.bytes && left_ == prepared_;
}

bool Outgoing::prepare() {
  if (offset_ == side_.bytes || prepared_ - left_ == static_cast<std::int64_t>(pieces_under_way))
    return false;
  Piece& next = piece(prepared_);
  if (!in_place()) {
    next.chunk = take_chunk();
    if (!next.chunk) return false;
  }
  const ByteRange range{offset_, std::min(offset_ + piece_bytes_, side_.bytes)};
  next.data = in_place() ? side_.route.first + range.begin : next.chunk.data();
  next.bytes = range.end - range.begin;
  offset_ = range.end;
  const std::int64_t number =
      prepared_++;  // before packing, which may fail half way: then close() waits for it
  if (!in_place()) pack(range, next, number);
  return true;
}

void Outgoing::pack(ByteRange range, Piece& piece, std::int64_t number) {
  if (!shared_ && !linked_) return side_.pack(range, piece.chunk.data(), piece.packed, number);
  // Behind the first piece others cross the link meanwhile, if there is one in between.
  const bool crossing = linked_ || shared_->far;
  const cuda::OccupancyLimit occupancy =
      number > 0 && crossing ? cuda::OccupancyLimit::link : cuda::OccupancyLimit::none;
  side_.pack_near(range, piece.chunk.data(), piece.packed, number, occupancy);
}

bool Outgoing::dispatch() {
  if (sent_ == prepared_) return false;
  Piece& next = piece(sent_);
  if (!reached(next.packed, false)) return false;
  next.packed.reset();
  if (shared_) {
    tell_of(next);
  } else {
    next.message = start(next.data, next.bytes);
  }
  ++sent_;
  return true;
}

void Outgoing::tell_of(Piece& next) {
  next.note = {sent_, shared_->chunks.place(next.data)};
  next.read = false;
  next.answered =
      start_receive(reinterpret_cast<std::byte*>(&next.answer), sizeof(PieceNote), shared_->answers);
  next.message = start_send(reinterpret_cast<const std::byte*>(&next.note), sizeof(PieceNote), to_);
}

// Each piece is answered once, in whatever order they were read.
void Outgoing::take_answers() {
  for (Piece& one : pieces_) {
    if (!one.answered.active() || !one.answered.test()) continue;
    piece(one.answer.number).read = true;
  }
}

bool Outgoing::retire() {
  if (left_ == sent_ || !left(piece(left_))) return false;
  if (shared_) {
    take_answers();
    if (!piece(left_).read || piece(left_).answered.active()) return false;
  }
  piece(left_).chunk = Chunk();
  ++left_;
  return true;
}

bool Outgoing::left(Piece& sent) {
  try {
    return sent.message.test();
  } catch (...) {
    lost_ = true;
    throw;
  }
}

void Outgoing::fail() {
  failed_ = true;
  if (offset_ < side_.bytes || sent_ < prepared_ || lost_) notice_ = start(nullptr, 0);
}

bool Outgoing::close() {
  while (retire()) continue;
  if (left_ < sent_ || !notice_.test()) return false;
  for (; sent_ < prepared_; ++sent_) {
    if (!ended(piece(sent_).packed, false)) return false;  // a kernel may still write to the chunk
    piece(sent_).packed.reset();
    piece(sent_).chunk = Chunk();
  }
  left_ = prepared_;
  return true;
}

}  // namespace typewarp::transport
