// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/function_ref.hpp"
#include "interpose/core/buffers/data.hpp"

#include <mpi.h>

#include <cstdint>

/// Blocking calls at a place of their own in a file, in pieces: while the MPI moves one piece, the next is
/// packed or the one before unpacked. So a call needs two pieces of host memory, however much it moves.
namespace typewarp::interpose {

/// What a call reads into or writes from.
struct FileData {
  MPI_File file;
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  bool reads;
  bool collective = false;  ///< whether all ranks of the file make it
  bool at_pointer =
      false;  ///< whether it is at the rank's own pointer, of calls that may go in pieces or in turn
};

/// The MPI's call on so many bytes of `buffer`, `shift` etypes after the place where the program's call
/// begins.
using PieceCall =
    FunctionRef<int(const void* buffer, std::int64_t bytes, std::int64_t shift, MPI_Status* status)>;
/// The MPI's call on (buffer, datatype) and the count of the program's call.
using WholeCall = FunctionRef<int(const void* buffer, MPI_Datatype type, MPI_Status* status)>;

/// How many pieces the data has, of how many bytes: a multiple of the etype, in which offsets count. One
/// piece if the file is in atomic mode. `data` is ours. Throws MpiError, and InvalidArgument for a malformed
/// TYPEWARP_FILE_BYTES.
struct Pieces {
  std::int64_t bytes, number;
};
Pieces pieces_of(const FileData& file, const Data& data, std::int64_t etype_bytes);

/// Makes `rounds` calls, as all ranks do, at least as many as there are pieces. Calls after the last piece,
/// after the end of the file or after an error move nothing. The error is thrown at the end. `status` gets
/// the bytes of all pieces.
void move_pieces(int number, const FileData& file, const Data& data, const Pieces& pieces,
                 std::int64_t etype_bytes, std::int64_t rounds, PieceCall call, MPI_Status* status);
/// A round of a rank that has nothing to move in it.
void move_nothing(PieceCall call) noexcept;

}  // namespace typewarp::interpose
