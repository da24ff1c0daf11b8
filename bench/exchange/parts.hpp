// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/exchange.hpp>
#include <typewarp/mpi_ranks.hpp>

#include <string>
#include <vector>

namespace typewarp::exchange_bench {

/// What a rank exchanges with the other one.
struct Pattern {
  std::string name;
  std::int64_t buffer_bytes;  ///< of what is sent, and of what is received
  std::int64_t packed_bytes;
  std::vector<Datatype> sends, receives;  ///< of one item each, from the beginning of the buffer
};

/// `bytes` packed bytes in blocks of 8 on both sides, 64 from one to the next, or 2,048 as in a column of a
/// matrix.
Pattern strided(std::int64_t bytes);
Pattern column(std::int64_t bytes);
/// The halos, `width` wide, of `fields` fields of cells^3 doubles with each of 26 neighbours, all of which
/// the other rank is.
Pattern halo(std::int64_t cells, std::int64_t width, std::int64_t fields);

}  // namespace typewarp::exchange_bench
