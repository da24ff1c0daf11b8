// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "buffer.hpp"

#include <mpi.h>

#include <cstdint>
#include <span>

namespace typewarp::collectives_bench {

/// Calls whose bytes go through memory of the host: of files, and between hosts. Of a device's memory, and,
/// for comparison, of page-locked memory, where the same bytes lie one after the other.
class ThroughHost {
 public:
  struct Case {
    const char* name;
    bool is_strided;  ///< blocks of 128 bytes, every 256, in memory of a device
    void (ThroughHost::*call)() const;
    bool (ThroughHost::*is_right)() const;
  };
  static std::span<const Case> of_files();
  static std::span<const Case> between_hosts();
  /// Bytes of a call at a rank. Longer calls take longer in proportion.
  static constexpr std::int64_t least = 1 << 20, most = 64 << 20;

  /// Collective. `bytes`: packed, of the longer side of a call at a rank.
  ThroughHost(int rank, int ranks, std::int64_t bytes, bool is_strided, Memory memory);
  ThroughHost(const ThroughHost&) = delete;
  ThroughHost& operator=(const ThroughHost&) = delete;
  ~ThroughHost();

 private:
  void write() const;
  void read() const;
  void bcast() const;
  void gather() const;
  void scatter() const;
  void allgather() const;
  void alltoall() const;
  bool file_is_right() const;
  bool bcast_is_right() const;
  bool gather_is_right() const;
  bool scatter_is_right() const;
  bool allgather_is_right() const;
  bool alltoall_is_right() const;
  /// The last of `items` in `to_`, and the gap behind it.
  bool ends(int items, int from) const;
  MPI_Offset place() const noexcept;

  int rank_, ranks_;
  int stride_;      ///< floats from one item to the next
  int all_, each_;  ///< items of the longer side, and of the block of a rank
  Buffer from_, to_;
  MPI_Datatype item_ = MPI_DATATYPE_NULL;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace typewarp::collectives_bench
