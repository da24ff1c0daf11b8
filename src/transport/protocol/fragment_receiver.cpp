// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/fragment_receiver.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace typewarp::transport {
namespace {

// The longest piece that both sides can take, where 0 is any.
std::int64_t shorter(std::int64_t one, std::int64_t other) {
  if (one == 0 || other == 0) return std::max(one, other);
  return std::min(one, other);
}

}  // namespace

Incoming::Incoming(Core& core, const Side& side, const Descriptor& descriptor, bool wanted,
                   std::unique_ptr<MappedChunks> shared)
    : core_(core),
      side_(side),
      descriptor_(descriptor),
      shared_(std::move(shared)),
      refused_(!wanted || descriptor.bytes > side.bytes) {
  if (!refused_ && shared_ == nullptr && descriptor_.link_bytes != 0) linked_ = core_.link_way(side_);
}

bool Incoming::advance() {
  if (!answered_ && !grant()) return false;
  if (!answer_.test()) return false;
  if (refused_) return nothing_posted();
  if (sender_failed_) return withdrawn();
  bool moved = true;
  for (int pass = 0; moved && pass < passes_at_a_time; ++pass) {
    moved = false;
    for (Piece& piece : pieces_) {
      moved = advance(piece) || moved;
      if (sender_failed_) return false;  // nothing may be posted that no message would match
    }
  }
  post_more();
  return finished_ == posted_ && offset_ == descriptor_.bytes;
}

bool Incoming::grant() {
  if (refused_) {
    answer(Clearance::Verdict::refused);
    return true;
  }
  choose_pieces();
  if (needs_chunk()) {
    pieces_.front().chunk = take_chunk();
    if (!pieces_.front().chunk) return false;
  }
  tag_ = core_.tags.take();
  post_more();
  answer(verdict());
  return true;
}

Clearance::Verdict Incoming::verdict() const {
  if (linked_) return Clearance::Verdict::linked;
  if (!shared_) return Clearance::Verdict::granted;
  return core_.sharing().near(descriptor_.offer->chunks, side_) ? Clearance::Verdict::shared
                                                                : Clearance::Verdict::shared_far;
}

void Incoming::choose_pieces() {
  if (shared_) {
    piece_bytes_ = core_.policy.piece_length(descriptor_.bytes, descriptor_.offer->chunk_bytes);
    return;
  }
  if (linked_) {
    const std::int64_t theirs = std::max(descriptor_.link_bytes, 0);
    piece_bytes_ = shorter(linked_->longest(), theirs);
    if (piece_bytes_ != 0) piece_bytes_ = core_.link_policy.piece_of(descriptor_.bytes, piece_bytes_);
  } else {
    piece_bytes_ = shorter(side_.in_place() ? 0 : core_.incoming.chunk_bytes(), descriptor_.piece_limit);
  }
  if (piece_bytes_ == 0) piece_bytes_ = descriptor_.bytes;
}

void Incoming::answer(Clearance::Verdict verdict) {
  clearance_ = {verdict, tag_.value(), piece_bytes_};
  if (descriptor_.ring) {
    core_.rings.of(descriptor_.sender, *descriptor_.ring).answer(clearance_);
  } else {
    answer_ = start_send(reinterpret_cast<const std::byte*>(&clearance_), sizeof(clearance_),
                         {descriptor_.sender, descriptor_.reply_tag, core_.comm()});
  }
  answered_ = true;
}

// Whoever has a chunk keeps it from piece to piece; others come from the pool as long as it has any.
void Incoming::post_more() {
  for (Piece& piece : pieces_) {
    if (offset_ == descriptor_.bytes) return;
    if (piece.state != Piece::State::idle) continue;
    if (needs_chunk() && !piece.chunk) piece.chunk = take_chunk();
    if (!needs_chunk() || piece.chunk) post(piece);
  }
}

void Incoming::post(Piece& piece) {
  piece.number = posted_;
  piece.range = {offset_, std::min(offset_ + piece_bytes_, descriptor_.bytes)};
  const Peer from{descriptor_.sender, tag_.value(), core_.comm()};
  if (shared_) {
    piece.message = start_receive(reinterpret_cast<std::byte*>(&piece.note), sizeof(PieceNote), from);
  } else {
    std::byte* const data = in_place() ? side_.route.first + offset_ : piece.chunk.data();
    const std::int64_t bytes = piece.range.end - piece.range.begin;
    piece.message = linked_ ? linked_->link->start_receive(data, bytes, from.rank, from.tag)
                            : start_receive(data, bytes, from);
  }
  piece.state = Piece::State::receiving;
  offset_ = piece.range.end;
  ++posted_;
}

bool Incoming::advance(Piece& piece) {
  if (piece.state == Piece::State::receiving) {
    std::int64_t bytes = 0;
    try {
      if (!piece.message.test(&bytes)) return false;
    } catch (...) {
      if (!shared_) piece.state = Piece::State::unpacking;  // and not a notice of no bytes
      throw;
    }
    piece.state = Piece::State::unpacking;
    arrived(piece, bytes);
    if (sender_failed_) return false;
  }
  if (!finish(piece)) return false;
  ++finished_;
  if (offset_ < descriptor_.bytes) {
    post(piece);
  } else {
    piece.chunk = Chunk();
  }
  return true;
}

// What fails when the message is to be dropped anyway has ended, too.
bool Incoming::unpacked(Piece& piece) const {
  try {
    return reached(piece.unpacked, false);
  } catch (const CudaError&) {
    if (!discarding_) throw;
    return true;
  }
}

// From unpacking to idle, by way of an answer to whom the chunk belongs.
bool Incoming::finish(Piece& piece) {
  if (piece.state == Piece::State::unpacking) {
    if (!unpacked(piece)) return false;
    piece.unpacked.reset();
    piece.state = Piece::State::answering;
    if (shared_) {
      piece.chunk = Chunk();
      piece.answer = start_send(reinterpret_cast<const std::byte*>(&piece.note), sizeof(PieceNote),
                                {descriptor_.sender, descriptor_.reply_tag, core_.comm()});
    }
  }
  if (piece.state != Piece::State::answering || !piece.answer.test()) return false;
  piece.state = Piece::State::idle;
  return true;
}

void Incoming::arrived(Piece& piece, std::int64_t bytes) {
  const std::int64_t due = piece.range.end - piece.range.begin;
  if (bytes != (shared_ ? std::int64_t{sizeof(PieceNote)} : due)) {
    piece.state = Piece::State::idle;
    sender_failed();
  } else if (shared_) {
    if (!discarding_) unpack_shared(piece);
  } else if (!in_place() && !discarding_) {
    side_.unpack(piece.range, piece.chunk.data(), piece.unpacked, piece.number);
  }
}

void Incoming::unpack_shared(Piece& piece) {
  const std::int64_t most = descriptor_.offer->chunks.size - (piece.range.end - piece.range.begin);
  if (piece.note.place < 0 || piece.note.place > most) {
    throw Error("typewarp: a piece lies outside of the chunks of its sender");
  }
  if (shared_->wants_near()) take_near(piece);
  shared_->unpack(piece.range, piece.note.place, piece.chunk.data(), piece.unpacked, piece.number);
}

// Nobody waits for it: there may be none, and then it takes longer.
void Incoming::take_near(Piece& piece) {
  SharedChunks* const own = core_.shared_chunks(side_);
  if (own != nullptr && own->piece_bytes >= piece_bytes_) piece.chunk = own->chunks.take();
}

// The notice is the last that the sender sends, and pieces match in order: what was posted after it is
// matched by nothing.
void Incoming::sender_failed() {
  sender_failed_ = true;
  cancel_posted();
}

void Incoming::cancel_posted() {
  for (Piece& piece : pieces_) piece.message.cancel();
}

// A piece that came before the notice, and was not looked at yet, is to be answered as others.
bool Incoming::nothing_posted() {
  for (Piece& piece : pieces_) {
    std::int64_t bytes = 0;
    if (!piece.message.test(&bytes)) return false;
    if (bytes != 0) piece.state = Piece::State::unpacking;
  }
  return true;
}

bool Incoming::withdrawn() {
  if (!nothing_posted()) return false;
  for (Piece& piece : pieces_) {
    const bool busy = piece.state == Piece::State::unpacking || piece.state == Piece::State::answering;
    if (busy && !finish(piece)) return false;
  }
  offset_ = descriptor_.bytes;
  finished_ = posted_;
  sender_failed_ = false;
  for (Piece& piece : pieces_) {
    piece.chunk = Chunk();
    piece.state = Piece::State::idle;
  }
  if (!discarding_) {
    throw Error("typewarp: the sender, rank " + std::to_string(descriptor_.sender) +
                " of the Transport, failed in the middle of a message");
  }
  return true;
}

void Incoming::discard() {
  discarding_ = true;
  if (answered_) return;
  refused_ = true;
  cancel_posted();  // where posting failed half way
}

}  // namespace typewarp::transport
