// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/host_copies.hpp"
#include "interpose/core/requests/continuation.hpp"

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

/// What this library knows of each open file, in a table, since MPI has no attributes of files.
namespace typewarp::interpose {

/// The copy of a split call between its halves. Null if the MPI got the program's own memory.
struct SplitCopy {
  std::shared_ptr<PackedBlocks> copy;
  bool reads = false;
};

struct OpenFile {
  /// On which the ranks of the file agree: MPI_COMM_NULL if a rank is alone, nothing if some rank lacks this
  /// library.
  std::optional<MPI_Comm> ranks;
  /// Nonblocking collective calls of ROMIO: only the oldest may be moved on, since ROMIO takes the messages
  /// of one for those of another.
  Turns turns;
  /// Blocking calls at the file's pointer follow each other, whichever threads make them.
  std::mutex at_pointer;
  std::mutex mutex;  ///< of what follows
  SplitCopy split;   ///< a file has at most one
};

/// Null if the file was opened without this library and is not known yet.
std::shared_ptr<OpenFile> find_file(MPI_File file) noexcept;
/// The same, which makes it known. Throws std::bad_alloc.
std::shared_ptr<OpenFile> open_file(MPI_File file);

/// The largest number of all ranks of the file; nothing if they cannot ask each other. Throws MpiError.
std::optional<std::int64_t> most_of_ranks(MPI_File file, std::int64_t own);
/// Whether most_of_ranks() asks other ranks.
bool asks_ranks(MPI_File file) noexcept;

/// Whether the MPI makes nonblocking collective calls as calls of each rank alone: Open MPI's own file layer
/// does, ROMIO does not.
bool calls_ranks_alone(MPI_File file) noexcept;
/// Waits for nonblocking collective calls that are under way: before a collective call that blocks, and so
/// may wait for other ranks.
void end_those_under_way(MPI_File file) noexcept;

}  // namespace typewarp::interpose
