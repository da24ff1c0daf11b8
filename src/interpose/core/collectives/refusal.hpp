// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <initializer_list>

/// Memory of a device in calls where only the MPI could help: one that knows nothing of GPUs would crash.
namespace typewarp::interpose {

/// Once MPI is initialised: asks the MPI whether it takes memory of GPUs.
void open_refusal() noexcept;
bool mpi_takes_device_memory() noexcept;

/// Raises an error of class MPI_ERR_BUFFER that names the call with the error handler of a
/// communicator, file or window, and returns its code if the handler returns.
int refuse(int number, MPI_Comm comm) noexcept;
int refuse(int number, MPI_File file) noexcept;
int refuse_in_window(int number, MPI_Win window) noexcept;
/// Whether the MPI cannot read or write one of these buffers. Where the program uses no GPU this takes some
/// 40 ns at most.
bool are_refused(std::initializer_list<const void*> buffers) noexcept;

}  // namespace typewarp::interpose
