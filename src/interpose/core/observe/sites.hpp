// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/observe/call_event.hpp"
#include "interpose/record/record.hpp"

#include <mpi.h>

#include <cstdint>

/// Where a program makes its calls, and of what messages: what TYPEWARP_DOCTOR has each rank note.
namespace typewarp::interpose {

struct SiteKey {
  int number;          ///< of the call
  const void* caller;  ///< where it returns to
  Where where;
  const UsedType* sent;
  const UsedType* received;
  int size_bin;  ///< bits of the number of bytes
  record::Memory memory;

  bool operator==(const SiteKey&) const = default;
};

/// Maps this process's file in `folder`. Of one that cannot be made the user is told on stderr, and nothing
/// is noted. Once a process, after MPI_Init.
void open_sites(const char* folder, int rank, int ranks) noexcept;
/// Marks the file as complete: the program has come to MPI_Finalize. Nothing is noted from then on.
void close_sites() noexcept;
/// The site of such calls, made at the first one; null where nothing is noted, or no room is left. Thread
/// safe.
record::Site* site_of(const SiteKey& key, const ObservedData& sent, const ObservedData& received) noexcept;
/// Counts a call that has no site.
void note_other(std::int64_t nanoseconds) noexcept;

}  // namespace typewarp::interpose
