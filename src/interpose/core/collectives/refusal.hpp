// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

/// Memory of a device in calls where only the MPI could help: one that knows nothing of GPUs would crash.
namespace typewarp::interpose {

/// Once MPI is initialised: asks the MPI whether it takes memory of GPUs.
void open_refusal() noexcept;
bool mpi_takes_device_memory() noexcept;

/// Raises an error of class MPI_ERR_BUFFER that names the call with the error handler of a
/// communicator or file, and returns its code if the handler returns.
int refuse(int number, MPI_Comm comm) noexcept;
int refuse(int number, MPI_File file) noexcept;

}  // namespace typewarp::interpose
