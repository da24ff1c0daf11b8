// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/function_ref.hpp"
#include "interpose/core/job/job.hpp"

#include <mpi.h>

#include <cstdint>
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
  bool is_ours;          ///< some of its memory
  bool can_be_moved;     ///< all of it, by us
  std::int64_t longest;  ///< packed bytes of the longest block that it knows
};

/// As everyone_of(), for such a call that blocks; nothing also unless memory of some rank is ours in it, all
/// can be moved, and some block has at least `least` bytes; or where ranks differ in what they all know. The
/// same in all ranks.
///
/// They ask each other in each of these calls, or in each 16th after 16 in a row were nothing: asking costs
/// some microseconds, which is much for host memory. `own_part()` is called where they do.
std::optional<Everyone> everyone_moving(MPI_Comm comm, LongestBlock longest, std::int64_t least,
                                        FunctionRef<OwnPart()> own_part);

}  // namespace typewarp::interpose
