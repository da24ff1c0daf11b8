// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cube.hpp"

#include <typewarp/halo_domain.hpp>

#include <vector>

/// Who exchanges what, as one finds it out by hand: what all methods but the library's go by.
namespace typewarp::halo_bench {

/// What goes one way, and what comes from there.
struct Part {
  int rank;                    ///< of the neighbour, perhaps this one
  int sent_tag, received_tag;  ///< the number of the direction that a message takes
  Span3 sent, received;        ///< of equally many cells
  std::int64_t block;          ///< doubles that the cells of one field take when packed
  std::int64_t place;          ///< of the first block in packed memory, in doubles
  std::size_t opposite;        ///< the part of the direction that is opposite
};

/// All 26, those with other ranks first, so that their blocks are consecutive. Packed memory has the same
/// places in all ranks, for what is sent and for what is received.
struct Pattern {
  int rank;             ///< this one
  std::int64_t length;  ///< of an edge of the arrays
  std::int64_t fields;
  std::vector<Part> parts;
  std::size_t others = 0;          ///< parts with other ranks
  std::int64_t packed = 0;         ///< doubles of all parts
  std::int64_t packed_others = 0;  ///< of those with other ranks
};

Pattern pattern_of(const halo::Domain& domain, std::int64_t fields);

}  // namespace typewarp::halo_bench
