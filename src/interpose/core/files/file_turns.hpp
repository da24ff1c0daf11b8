// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/requests/turns.hpp"

#include <mpi.h>

#include <memory>

/// Nonblocking collective calls of files.
namespace typewarp::interpose {

/// Whether the MPI makes them as calls of each rank by itself: so does Open MPI's own way of files, and ROMIO
/// not.
bool are_of_each_rank(MPI_File file) noexcept;
/// Else the oldest one that is under way is the only one to be moved on: ROMIO takes the messages of one for
/// those of another.
std::shared_ptr<Turns> turns_of(MPI_File file);
/// Before a collective call that blocks, and so may wait for other ranks: waits for those under way.
void end_those_under_way(MPI_File file) noexcept;
/// Of a file that is about to be closed.
void forget_turns(MPI_File file) noexcept;

}  // namespace typewarp::interpose
