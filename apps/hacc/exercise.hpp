// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/block.hpp"
#include "hacc/carrier/carrier.hpp"
#include "hacc/generate.hpp"

#include <mpi.h>

#include <cstdint>
#include <string>

namespace hacc {

/// What all ranks move: block i is that of rank i.
struct Task {
  std::uint64_t seed;
  std::int64_t mean_particles;
  Grid grid;
  std::string file;
  std::int64_t repeats;
  MPI_Comm comm;
};

/// Seconds of one call, medians: of this rank alone, or of the slowest rank where all take part.
struct Seconds {
  double pack = 0;    ///< into memory of the host, alone
  double unpack = 0;  ///< alone
  double send = 0;    ///< to the next rank, while the previous one's block is received
  double write = 0;   ///< all blocks, into one file
  double read = 0;    ///< each rank that of the next one
};

/// Moves blocks by one way, and times it.
struct Exercise {
  Seconds seconds;
  std::string wrong;  ///< what does not have the bytes of the generated block, empty if everything has
};

/// Collective. `mine` is this rank's block in the memory asked for.
Exercise exercise(By way, const Block& mine, const Task& task, const apps::OwnedStream& stream);

/// Collective. What ways are compared with: packing is one copy of as many contiguous bytes, and messages and
/// files take bytes of the host that are packed already.
Seconds floor_of(const Block& mine, const Task& task, const apps::OwnedStream& stream);

}  // namespace hacc
