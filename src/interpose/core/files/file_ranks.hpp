// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

/// The ranks of open files, which agree on what all of them do in collective calls.
namespace typewarp::interpose {

/// A communicator for such questions, made before a file is opened by the ranks of `comm`, all of which call
/// this: MPI_COMM_NULL where a rank is alone, nothing where some rank has not this library. Throws MpiError.
std::optional<MPI_Comm> ranks_for_file(MPI_Comm comm);
/// Of a file that is open now, and before it is closed.
void keep_ranks(MPI_File file, std::optional<MPI_Comm> ranks);
void forget_ranks(MPI_File file) noexcept;

/// The largest number of all ranks of the file; nothing where they cannot ask each other. Throws MpiError.
std::optional<std::int64_t> most_of_ranks(MPI_File file, std::int64_t own);
/// Whether all ranks of the file have this library.
bool all_have_library(MPI_File file) noexcept;
/// Whether most_of_ranks() asks other ranks.
bool asks_ranks(MPI_File file) noexcept;

}  // namespace typewarp::interpose
