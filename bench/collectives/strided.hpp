// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "buffer.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>

namespace typewarp::collectives_bench {

/// Blocks of 128 bytes, every 256, of two ranks' devices: rank 0 puts to rank 1, gets from it, or gets a
/// message of it. And rank 0 adds to as many numbers of rank 1 that lie one behind the other.
class Strided {
 public:
  struct Case {
    const char* name;
    void (Strided::*call)() const;
    int arrives_at;
  };
  static const std::array<Case, 4> cases;
  static constexpr std::int64_t least = 1 << 20;

  /// Collective. `bytes`: packed.
  Strided(int rank, std::int64_t bytes);
  Strided(const Strided&) = delete;
  Strided& operator=(const Strided&) = delete;
  ~Strided();

  bool is_right(const Case& of) const;

 private:
  void put() const;
  void get() const;
  void message() const;
  void accumulate() const;

  int rank_;
  std::size_t count_;  ///< floats, with the gaps
  Buffer from_, to_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Win puts_ = MPI_WIN_NULL, gets_ = MPI_WIN_NULL;  ///< over `to_`, and `from_`
};

}  // namespace typewarp::collectives_bench
