// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/collectives/group.hpp"

#include <mpi.h>

#include <cstdint>
#include <exception>

namespace typewarp::interpose {

/// Whether items lie one behind the other without gaps, as packed: shares need not end with items then.
bool is_dense(const Plan& plan) noexcept;
/// Bytes of each of so many shares of a broadcast, but for the last ones: items of 8, 12, 20, 24, 36 bytes
/// and their multiples by powers of two end there.
std::int64_t share_bytes(std::int64_t bytes, std::int64_t shares) noexcept;
/// The rank that sends a share on.
inline int share_owner(int share, int root) noexcept { return share < root ? share : share + 1; }

/// A broadcast in two steps: the root sends each rank a share, and each rank sends its own to all others. So
/// the root's link carries the data once, where sending all of it to each rank takes as many times as there
/// are other ranks (scatter and allgather: van de Geijn 1994).
class BroadcastShares {
 public:
  /// Whether shares are long enough. The same in all ranks.
  static bool pay(std::int64_t bytes, const Participants& ranks) noexcept;

  BroadcastShares(MPI_Comm comm, const TypedBuffer& side, std::int64_t bytes, const Participants& ranks,
                  int root) noexcept
      : comm_(comm),
        side_(side),
        bytes_(bytes),
        ranks_(ranks),
        root_(root),
        first_(comm, ranks.own),
        second_(comm, ranks.own) {}

  /// Finds what this rank sends and receives. False where a share ends within an item here: ranks may have
  /// different datatypes of one signature. Throws as BlockMessages does.
  bool prepare();
  /// Makes the second step also where the first fails: other ranks wait for it. Returns the first failure, or
  /// null.
  std::exception_ptr make() noexcept;

 private:
  std::int64_t own_share_bytes() const noexcept { return share_bytes(bytes_, ranks_.all - 1); }
  BlockPlace place(int share) const noexcept;

  MPI_Comm comm_;
  TypedBuffer side_;
  std::int64_t bytes_;  ///< packed
  Participants ranks_;
  int root_;
  std::int64_t unit_ = 1;  ///< bytes of what places count
  BlockMessages first_, second_;
};

}  // namespace typewarp::interpose
