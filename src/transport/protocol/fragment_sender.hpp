// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/session.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <array>

namespace typewarp::transport {

/// Pieces of one message that are under way at a time, on either side: one is packed or unpacked while
/// others travel.
inline constexpr std::size_t pieces_under_way = 4;
/// How often advance() goes through them before other messages have their turn. Without an end, two threads
/// at both ends of a message to oneself keep each other busy until all of it is there.
inline constexpr int passes_at_a_time = 16;

/// Where packed pieces go that their receiver has mapped, and from where it tells that it has read them.
struct SharedWay {
  SharedChunks& chunks;
  Peer answers;
  bool far;  ///< to another device
};

/// The pieces of a packed stream on their way out, in order. A piece is packed into a chunk, or sent from the
/// user's memory, by the MPI or the link; or its receiver reads it out of a shared chunk, and is only told of
/// it. A piece of no bytes
/// tells the receiver that the sender has failed.
class Outgoing {
 public:
  /// `side` and `core` must outlive this.
  Outgoing(Core& core, const Side& side, const Peer& to, std::int64_t piece_bytes,
           std::optional<SharedWay> shared = std::nullopt, std::optional<LinkWay> linked = std::nullopt);

  /// Moves on for a while, without waiting; true when all has left. Throws CudaError, MpiError.
  bool advance();
  /// Ends with what has been sent, and tells the receiver. From here on the user's memory is not read, but
  /// for pieces that the MPI has in place.
  void fail();
  /// Changes whenever something got done.
  std::int64_t steps() const noexcept { return prepared_ + sent_ + left_; }
  /// Whether nothing is under way since other messages have all chunks.
  bool waits_for_memory() const noexcept { return !failed_ && left_ == prepared_ && offset_ < side_.bytes; }

 private:
  struct Piece {
    Chunk chunk;
    std::optional<cuda::Event> packed;
    const std::byte* data = nullptr;
    std::int64_t bytes = 0;
    Transfer message;
    PieceNote note{};    ///< in place of the bytes, where the chunk is shared
    PieceNote answer{};  ///< of some piece that has been read
    Posted answered;
    bool read = false;
  };

  Piece& piece(std::int64_t number) { return pieces_[static_cast<std::size_t>(number) % pieces_under_way]; }
  bool in_place() const noexcept {
    return linked_ ? linked_->chunks == nullptr : !shared_ && side_.in_place();
  }
  Chunk take_chunk();
  Transfer start(const std::byte* data, std::int64_t bytes);
  bool prepare();
  void pack(ByteRange range, Piece& piece, std::int64_t number);
  bool dispatch();
  void tell_of(Piece& next);
  void take_answers();
  bool left(Piece& sent);
  bool retire();
  bool close();

  Core& core_;
  const Side& side_;
  Peer to_;
  std::int64_t piece_bytes_;
  std::optional<SharedWay> shared_;
  std::optional<LinkWay> linked_;
  std::array<Piece, pieces_under_way> pieces_;
  std::int64_t offset_ = 0;    // of the next piece to prepare
  std::int64_t prepared_ = 0;  // pieces so far that were packed or on their way to it,
  std::int64_t sent_ = 0;      // of these handed to the MPI,
  std::int64_t left_ = 0;      // and of these done with
  bool failed_ = false;
  bool lost_ = false;  // whether a piece that was handed over did not leave
  Transfer notice_;
};

}  // namespace typewarp::transport
