// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/collectives/group.hpp"
#include "transport/buffer/staging.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

/// Collective calls between hosts whose blocks go to all ranks, by the MPI's own trees and rings on packed
/// bytes, a piece of each block at a time: while the MPI moves one, a device packs the next and unpacks the
/// one before. So a call takes two pieces of host memory of each block, however long these are.
namespace typewarp::interpose {

/// A call of the MPI's, at this rank.
struct CollectiveCall {
  enum class Kind : std::uint8_t { broadcast, allgather };

  Kind kind;
  MPI_Comm comm;
  Participants ranks;
  int root = 0;
};

/// Packed bytes of each block that go at a time, as TYPEWARP_COLLECTIVE_BYTES says; 0 where blocks do not go
/// in pieces. Throws InvalidArgument for a malformed one.
std::int64_t piece_bytes(const CollectiveCall& call);

/// What this rank receives from another.
struct RanksData {
  int rank;
  Data data;
};

class BlockPieces {
 public:
  /// Of blocks that lie in one memory each, and none of which is from this rank to itself. `sent`: to all
  /// others; none if this rank sends nothing. `piece`: the most bytes of one that move() is told. Throws
  /// GpuError, std::bad_alloc.
  BlockPieces(const CollectiveCall& call, std::optional<Data> sent, std::vector<RanksData> received,
              std::int64_t piece);

  /// `longest`: bytes of the longest block of all ranks. `beside()` is called while the first piece is
  /// packed. Where a round fails, the others are made all the same: other ranks make as many. Returns the
  /// first failure, or null.
  template <class Beside>
  std::exception_ptr move(std::int64_t piece, std::int64_t longest, Beside beside) noexcept {
    begin(piece, longest);
    attempt(beside);
    return move_all();
  }

 private:
  struct Slot {
    transport::Staging memory;  ///< a place for a piece of each block
    Moves moves;                ///< over before the memory is gone
  };

  void begin(std::int64_t piece, std::int64_t longest) noexcept;
  std::exception_ptr move_all() noexcept;
  template <class Step>
  void attempt(Step step) noexcept {
    try {
      step();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void pack(std::int64_t k);
  void unpack(std::int64_t k);
  void call_mpi(std::int64_t k);

  Slot& slot(std::int64_t k) noexcept { return slots_[static_cast<std::size_t>(k % 2)]; }
  std::int64_t place(int rank) const noexcept {
    return call_.kind == CollectiveCall::Kind::broadcast ? 0 : rank * stride_;
  }
  ByteRange range(const Data& data, std::int64_t k) const noexcept;
  void count(int rank, const Data& data, std::int64_t k) noexcept;

  CollectiveCall call_;
  std::optional<Data> sent_;
  std::vector<RanksData> received_;
  std::vector<int> counts_, displs_;  ///< bytes of a piece, and where it stands, of each rank
  std::int64_t stride_;               ///< bytes from one place to the next
  std::int64_t piece_ = 0;
  std::int64_t rounds_ = 0;
  std::array<Slot, 2> slots_;
  std::exception_ptr failure_;
};

}  // namespace typewarp::interpose
