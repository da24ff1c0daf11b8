// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"
#include "interpose/core/job/job.hpp"

#include <optional>

/// Collective calls as exchanges with counts of each block: those of which a rank knows its own blocks only,
/// so that each block goes by its own length. All ranks have this library then, and make the same.
namespace typewarp::interpose::neighbor_as_alltoallv {

/// A call among neighbours with one count or one datatype. Its code; nothing where it is to be made
/// otherwise, which all ranks find alike.
std::optional<int> make(Call& call) noexcept;

/// A call of one group that gives a request, with these blocks at this rank. Returns its code. Throws
/// std::bad_alloc.
int each_with_each(const Call& call, const Participants& ranks, const CallBlocks& blocks,
                   const Everyone& everyone);

}  // namespace typewarp::interpose::neighbor_as_alltoallv
