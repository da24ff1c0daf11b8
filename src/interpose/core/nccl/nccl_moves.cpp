// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Collective calls that move: bytes as they lie, or packed in pieces by each rank whose data is not
// consecutive, where the others use their buffers themselves.

#include "interpose/core/nccl/nccl_call.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>

namespace typewarp::interpose::nccl {
namespace {

/// Of `bytes` packed bytes, pieces of which the staging memory holds `slots`: calls `move(range)`.
template <class Move>
void in_pieces(std::int64_t bytes, int slots, Move move) {
  constexpr std::int64_t alignment = 16;
  const std::int64_t room = staging_bytes() / slots;
  const std::int64_t longest = room > alignment ? room / alignment * alignment : room;
  for (std::int64_t begin = 0; begin < bytes; begin += longest)
    move(ByteRange{begin, std::min(begin + longest, bytes)});
}

void pack_piece(const DeviceSide& side, std::byte* packed, ByteRange piece, const Making& making) {
  pack(side.data.address, side.data.count, side.data.plan, packed, piece, Stream(making.stream));
}
void unpack_piece(const std::byte* packed, const DeviceSide& side, ByteRange piece, const Making& making) {
  unpack(packed, side.data.address, side.data.count, side.data.plan, piece, Stream(making.stream));
}

Result broadcast(const Making& making, const std::byte* from, std::byte* to, std::int64_t bytes, int root) {
  return making.api.ncclBroadcast(from, to, items(bytes), Type::uint8, root, making.handle, making.stream);
}

void bcast_in_pieces(const Making& making, std::int64_t bytes, int root, bool is_root) {
  const DeviceSide& side = making.sides.to;
  in_pieces(bytes, 1, [&](ByteRange piece) {
    std::byte* const place = side.is_consecutive ? side.first + piece.begin : making.staging;
    if (is_root && !side.is_consecutive) pack_piece(side, place, piece, making);
    making.check(broadcast(making, place, place, piece.end - piece.begin, root), "ncclBroadcast");
    if (!is_root && !side.is_consecutive) unpack_piece(place, side, piece, making);
  });
}

/// An MPI_Allgather of blocks of `block` packed bytes.
class Gathering {
 public:
  Gathering(const Making& making, std::int64_t block, const Participants& ranks, bool in_place) noexcept
      : making_(making),
        from_(making.sides.from),
        to_(making.sides.to),
        block_(block),
        ranks_(ranks),
        in_place_(in_place) {}

  void at_once() const {
    const std::byte* const own = in_place_ ? to_.first + ranks_.own * block_ : from_.first;
    making_.check(
        making_.api.ncclAllGather(own, to_.first, items(block_), Type::uint8, making_.handle, making_.stream),
        "ncclAllGather");
  }
  /// Each rank broadcasts a piece of its block to where each of the others has it.
  void in_pieces() const {
    nccl::in_pieces(block_, ranks_.all, [&](ByteRange piece) {
      const std::byte* const own = ready(piece);
      making_.check(making_.api.ncclGroupStart(), "ncclGroupStart");
      Result result = Result::success;
      for (int of = 0; of < ranks_.all && result == Result::success; ++of)
        result = broadcast(making_, of == ranks_.own ? own : place(of, piece), place(of, piece),
                           length(piece), of);
      const Result ended = making_.api.ncclGroupEnd();
      making_.check(result, "ncclBroadcast");
      making_.check(ended, "ncclGroupEnd");
      for (int of = 0; of < ranks_.all && !to_.is_consecutive; ++of)
        unpack_piece(place(of, piece), to_, in_result(of, piece), making_);
    });
  }

 private:
  static std::int64_t length(ByteRange piece) noexcept { return piece.end - piece.begin; }
  /// Of the packed bytes of all that comes in.
  ByteRange in_result(int of, ByteRange piece) const noexcept {
    return {of * block_ + piece.begin, of * block_ + piece.end};
  }
  std::byte* place(int of, ByteRange piece) const noexcept {
    return to_.is_consecutive ? to_.first + in_result(of, piece).begin : making_.staging + of * length(piece);
  }
  /// Where the own piece goes out from.
  const std::byte* ready(ByteRange piece) const {
    std::byte* const packed = place(ranks_.own, piece);
    if (in_place_ && !to_.is_consecutive) pack_piece(to_, packed, in_result(ranks_.own, piece), making_);
    if (in_place_) return packed;
    if (from_.is_consecutive) return from_.first + piece.begin;
    pack_piece(from_, packed, piece, making_);
    return packed;
  }

  const Making& making_;
  const DeviceSide &from_, &to_;
  std::int64_t block_;
  Participants ranks_;
  bool in_place_;
};

}  // namespace

void enqueue_move(const Making& making, const Call& call, const Participants& ranks, std::int64_t bytes) {
  if (call.pattern == CallPattern::allgather) {
    const Gathering gathering(making, bytes / ranks.all, ranks, call.in_place());
    return making.is_whole ? gathering.at_once() : gathering.in_pieces();
  }
  std::byte* const first = making.sides.to.first;
  if (!making.is_whole) return bcast_in_pieces(making, bytes, call.root, ranks.is_root);
  making.check(broadcast(making, first, first, bytes, call.root), "ncclBroadcast");
}

}  // namespace typewarp::interpose::nccl
