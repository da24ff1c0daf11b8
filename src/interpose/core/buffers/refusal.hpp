// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <initializer_list>

/// Memory of a device in calls where only the MPI could help: one that knows nothing of GPUs would crash.
namespace typewarp::interpose {

/// Whose a call is. `copied`: the MPI makes it on copies. `refused`: only a device reaches the memory, and
/// nothing can be done.
enum class Whose : std::uint8_t { the_mpis, copied, refused };

/// Once MPI is initialised: asks the MPI whether it takes memory of GPUs.
void open_refusal(MPI_Comm self) noexcept;
/// Also as long as nobody has asked.
bool mpi_takes_device_memory() noexcept;
/// Not that of all ranks with which this one agrees on it.
void deny_device_memory() noexcept;

/// Raises an error of class MPI_ERR_BUFFER that names the call with the error handler of a
/// communicator, file or window, and returns its code if the handler returns.
int refuse(int number, MPI_Comm comm) noexcept;
int refuse(int number, MPI_File file) noexcept;
int refuse_in_window(int number, MPI_Win window) noexcept;
struct RefusedMemory {
  const void* address;
  std::int64_t count;  ///< of what is read or written there
};
/// Whether the MPI cannot read or write one of these. Where the program uses no GPU this takes some 40 ns at
/// most.
bool are_refused(std::initializer_list<RefusedMemory> memories) noexcept;

}  // namespace typewarp::interpose
