// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/function_ref.hpp"
#include "interpose/core/collectives/group.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace typewarp::interpose {

/// How a collective call is made: it blocks, it gives a request, or one that is persistent.
struct Form {
  MPI_Request* request = nullptr;  ///< null: it blocks
  bool is_persistent = false;
  MPI_Info info = MPI_INFO_NULL;  ///< of a persistent one

  bool blocks() const noexcept { return request == nullptr; }
};

/// One side of a call at this rank.
struct Side {
  const void* buffer;
  MPI_Datatype type;
};
/// Where the items of a block lie among those of all: from the buffer on, in the datatype's extents.
struct Place {
  std::int64_t count;
  std::int64_t displacement;
};
/// Of the block of each rank.
using Places = FunctionRef<Place(int)>;

/// Blocks of one count, one after the other.
inline auto even_places(std::int64_t count) noexcept {
  return [=](int rank) { return Place{count, rank * count}; };
}
/// What arrays of a call say. Without them no block is valid.
template <class Count, class Displacement>
auto places(const Count* counts, const Displacement* displacements) noexcept {
  return [=](int rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (counts == nullptr || displacements == nullptr) return Place{-1, 0};
    return Place{counts[i], displacements[i]};
  };
}

/// What this rank sends and receives in a collective call that moves data.
struct CallBlocks {
  struct Block {
    int rank;
    Place place;
  };
  Side from, to;
  std::vector<Block> sends, receives;
  bool replaces = false;  ///< what comes in takes the place of what goes out, in place of `sends`
};

// The calls. Throw InvalidArgument where a rank says in place that may not.
CallBlocks broadcast(const Ranks& ranks, int root, const Side& side, std::int64_t count);
CallBlocks gathered(const Ranks& ranks, int root, const Side& from, std::int64_t count, const Side& to,
                    Places places);
CallBlocks scattered(const Ranks& ranks, int root, const Side& from, Places places, const Side& to,
                     std::int64_t count);
CallBlocks gathered_by_all(const Ranks& ranks, const Side& from, std::int64_t count, const Side& to,
                           Places places);
CallBlocks exchanged_by_all(const Ranks& ranks, const Side& from, std::int64_t sent, const Side& to,
                            std::int64_t received);

}  // namespace typewarp::interpose
