// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/function_ref.hpp"
#include "interpose/core/job/job.hpp"

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <optional>

namespace typewarp::interpose {

/// As everyone_of(), for an exchange that blocks; nothing also where no rank had memory that may be ours when
/// they last asked each other: then the MPI has the whole call, at its own price. The same in all ranks.
///
/// They ask in the first of these exchanges on `comm`, the 2nd, 4th, 8th and so on, and in each 64th, until
/// one says yes. So a rank that begins to use a GPU gives the MPI copies in at most 63 of them. Each rank
/// calls this once in each of them, as asking is collective. Throws MpiError.
std::optional<Everyone> everyone_asked(MPI_Comm comm, bool may_be_ours);

/// Of a call that moves blocks: whether each rank knows the longest of all.
enum class LongestBlock : std::uint8_t { of_own, of_all };
/// What a rank has of such a call.
struct OwnPart {
  bool may_be_ours;            ///< what a call of this rank may have
  bool any_is_ours;            ///< memory of this call
  bool can_be_moved;           ///< all of it, by us
  std::int64_t longest;        ///< packed bytes of the longest block that it knows
  bool can_be_shared = false;  ///< moved in shares, of a call that can be
  std::int64_t piece = 0;      ///< bytes of a block that can go at a time; 0 where none can
};
/// How the ranks make such a call.
enum class Moving : std::uint8_t { by_the_mpi, whole, in_shares };
/// What they all know then.
struct Agreed {
  Moving moving = Moving::by_the_mpi;
  std::int64_t longest = 0;  ///< packed bytes of the longest block of all ranks
  std::int64_t piece = 0;    ///< the least of all ranks; 0 on one host
};

/// When the ranks ask each other: in turn as everyone_asked(), and in every call once some rank may have
/// memory that is ours; or in every call, as what follows from it lasts.
enum class Asking : std::uint8_t { in_turn, always };

/// As everyone_asked(), for a call that moves blocks and may wait. By the MPI also unless some rank has such
/// memory in the call, all blocks can be moved, and one has at least `least` bytes, or where ranks differ in
/// what they all know. `own_part()` is called where they ask.
Agreed everyone_moving(MPI_Comm comm, LongestBlock longest, std::int64_t least,
                       FunctionRef<OwnPart()> own_part, Asking asking = Asking::in_turn);

/// The end of a call in several steps: throws what failed here, or that something failed elsewhere. All ranks
/// call it.
void agree_on(MPI_Comm comm, const std::exception_ptr& failure);

}  // namespace typewarp::interpose
