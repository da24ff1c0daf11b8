// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/core.hpp"
#include "transport/side.hpp"

#include <exception>

namespace typewarp::transport {

/// The first piece of a message, packed into a shared chunk while its receiver does not even know of it. It
/// is a guess that the receiver will want it, for speed alone.
class Ahead {
 public:
  Ahead() = default;
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  /// Waits where something still writes to the chunk: only where the message ended before release() said
  /// that nothing does.
  ~Ahead();

  /// Begins to pack, if `offer` is readable, rank `receiver` is likely to answer that it takes pieces, and
  /// the pool has a chunk to spare. What fails is kept for hand_over(), as nobody may need it. Called once;
  /// `side` must stay until release() says so.
  void begin(Core& core, const Side& side, const Offer& offer, int receiver);
  /// Of how many bytes the message's pieces have to be for this to be the first of them; 0 if there is none.
  std::int64_t piece_bytes() const noexcept { return piece_bytes_; }
  /// Whether it is there, and is the first of such pieces.
  bool fits(std::int64_t piece_bytes) const noexcept {
    return static_cast<bool>(chunk_) && piece_bytes == piece_bytes_;
  }

  /// Precondition: fits(). Gives chunk and event away, for the first piece of the message. Throws what failed
  /// to be enqueued, after that.
  void hand_over(Chunk& chunk, std::optional<cuda::Event>& packed);
  /// Nobody will need it.
  void drop() noexcept { dropped_ = true; }
  /// Gives the chunk back, if it was dropped and nothing writes to it any more. Whether none is held.
  bool release() noexcept;

 private:
  Chunk chunk_;
  std::optional<cuda::Event> packed_;
  std::int64_t piece_bytes_ = 0;
  std::exception_ptr failure_;
  bool dropped_ = false;
};

}  // namespace typewarp::transport
