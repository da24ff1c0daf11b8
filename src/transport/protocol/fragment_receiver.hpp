// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/session.hpp"
#include "transport/protocol/fragment_sender.hpp"
#include "transport/buffer/message_buffer.hpp"

namespace typewarp::transport {

/// A message that was announced by a descriptor: answers it, and brings its pieces to the user's memory, in
/// place or through chunks. Before it clears the sender to send it has a chunk, and keeps one until all
/// pieces are there.
class Incoming {
 public:
  /// `side` and `core` must outlive this. A message longer than the side, or one that is not `wanted`, is
  /// refused.
  /// Pieces come through `shared` if there are such: the sender's chunks. Else they come by the link if both
  /// sides can, and by the MPI if not.
  Incoming(Core& core, const Side& side, const Descriptor& descriptor, bool wanted = true,
           std::unique_ptr<MappedChunks> shared = nullptr);

  /// Moves on for a while, without waiting; true when all pieces are in place, or a refusal has left. Throws
  /// CudaError, MpiError, and Error if the sender failed.
  bool advance();
  /// Receives what is on its way without unpacking it.
  void discard();
  /// Whether the message is longer than the receive allows.
  bool truncated() const noexcept { return descriptor_.bytes > side_.bytes; }
  std::int64_t bytes() const noexcept { return descriptor_.bytes; }
  std::int64_t steps() const noexcept { return posted_ + finished_; }
  /// Whether all that keeps it from answering is that other messages have all chunks.
  bool waits_for_memory() const noexcept { return !answered_ && !refused_; }

 private:
  struct Piece {
    enum class State { idle, receiving, unpacking, answering };
    State state = State::idle;
    Chunk chunk;
    std::int64_t number = 0;
    ByteRange range;
    Transfer message;
    std::optional<cuda::Event> unpacked;
    PieceNote note{};  ///< of the sender, where its chunks are shared; then the answer to it
    Posted answer;
  };

  bool in_place() const noexcept {
    return linked_ ? linked_->chunks == nullptr : shared_ == nullptr && side_.in_place();
  }
  bool needs_chunk() const noexcept { return shared_ == nullptr && !in_place(); }
  Chunk take_chunk() { return linked_ ? linked_->chunks->incoming.take() : core_.incoming.take(); }
  void choose_pieces();
  bool grant();
  Clearance::Verdict verdict() const;
  void answer(Clearance::Verdict verdict);
  void post(Piece& piece);
  void post_more();
  bool advance(Piece& piece);
  void arrived(Piece& piece, std::int64_t bytes);
  void unpack_shared(Piece& piece);
  void take_near(Piece& piece);
  bool unpacked(Piece& piece) const;
  bool finish(Piece& piece);
  void sender_failed();
  void cancel_posted();
  bool nothing_posted();
  bool withdrawn();

  Core& core_;
  const Side& side_;
  Descriptor descriptor_;
  std::unique_ptr<MappedChunks> shared_;
  std::optional<LinkWay> linked_;
  bool refused_;
  bool discarding_ = false;
  bool sender_failed_ = false;
  std::int64_t piece_bytes_ = 0;
  std::array<Piece, pieces_under_way> pieces_;
  std::int64_t offset_ = 0;  // of the next piece to post
  std::int64_t posted_ = 0;
  std::int64_t finished_ = 0;
  Tag tag_;
  Clearance clearance_{};
  Posted answer_;
  bool answered_ = false;
};

}  // namespace typewarp::transport
