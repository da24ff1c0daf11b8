// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/observe/used_types.hpp"
#include "interpose/record/record.hpp"

#include <typewarp/plan.hpp>

#include <mpi.h>

#include <cstdint>

/// Where a program makes its calls, and of what messages: what TYPEWARP_DOCTOR has each rank note.
namespace typewarp::interpose {

/// What a call sends, or what it receives; nothing if it has no bytes. Of several blocks `bytes` are those of
/// all, and the rest is that of the one with the most pieces.
struct Part {
  const Plan* plan = nullptr;  ///< or null: named types and those that cannot be read may have none
  const UsedType* type = nullptr;
  const void* buffer = nullptr;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t other_pieces = 0;  ///< of other blocks with gaps
  bool fresh = false;             ///< its datatype has come for the first time
};

/// What a call is made on.
struct Where {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_File file = MPI_FILE_NULL;
};

struct SiteKey {
  int number;          ///< of the call
  const void* caller;  ///< where it returns to
  Where where;
  const UsedType* sent;
  const UsedType* received;
  int octave;  ///< of the bytes
  record::Memory memory;

  bool operator==(const SiteKey& other) const noexcept;
};

/// Maps this process's file in `folder`. Of one that cannot be made the user is told on stderr, and nothing
/// is noted. Once a process, after MPI_Init.
void open_sites(const char* folder, int rank, int ranks) noexcept;
/// Marks the file as complete: the program has come to MPI_Finalize. Nothing is noted from then on.
void close_sites() noexcept;
/// The site of such calls, made at the first one; null where nothing is noted, or no room is left. Thread
/// safe.
record::Site* site_of(const SiteKey& key, const Part& sent, const Part& received) noexcept;
/// Counts a call that has no site.
void note_other(std::int64_t nanoseconds) noexcept;

}  // namespace typewarp::interpose
