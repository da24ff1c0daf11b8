// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/files/file_pieces.hpp"
#include "interpose/core/files/open_files.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>

/// Calls that read and write files. The MPI is given packed copies of memory that is ours; the file's view is
/// its business. What was read is unpacked as far as it came.
///
/// Each function makes one call of a kind. The MPI's own calls get (buffer, datatype) and the count of the
/// program's.
namespace typewarp::interpose {

/// The buffer of a call that fails at this rank, while others wait for its part: it has no items then. (A
/// datatype without data would do for any number of items, but Open MPI 5 divides by its size.)
inline constexpr std::byte no_items{};
template <class Count>
Count items(const void* buffer, Count count) noexcept {
  return buffer == &no_items ? 0 : count;
}

/// The first half of a split call.
using BeginCall = FunctionRef<int(const void* buffer, MPI_Datatype type)>;
using StartCall = FunctionRef<int(const void* buffer, MPI_Datatype type, MPI_Request* made)>;
/// A nonblocking call of so many items at a place in the file. It may be made later, so it refers to nothing.
using CallAt = int(MPI_File file, MPI_Offset place, const void* buffer, std::int64_t count, MPI_Datatype type,
                   MPI_Request* made);

/// A blocking call in one piece.
int filed_whole(int number, const FileData& data, WholeCall whole, MPI_Status* status) noexcept;
/// A blocking call at a place of its own: in several pieces if the data is long. In a collective one the
/// ranks agree on the number of rounds.
int filed_in_pieces(int number, const FileData& data, PieceCall piece, WholeCall whole,
                    MPI_Status* status) noexcept;

/// A nonblocking call of this rank alone. `block` makes the blocking form of it.
int filed_started(int number, const FileData& data, StartCall start, WholeCall block,
                  MPI_Request* request) noexcept;
/// A nonblocking collective call, at `offset` unless it is at the pointer. `block` makes the blocking form of
/// this rank alone, `call_at` the same call at a place.
int filed_in_turn(int number, const FileData& data, StartCall start, WholeCall block, MPI_Offset offset,
                  CallAt* call_at, MPI_Request* request) noexcept;

/// The halves of a split call. `end`: the number of the other half.
int filed_begin(int number, int end, const FileData& data, BeginCall begin) noexcept;
int filed_end(int number, MPI_File file, void* buffer, MPI_Status* status) noexcept;

}  // namespace typewarp::interpose
