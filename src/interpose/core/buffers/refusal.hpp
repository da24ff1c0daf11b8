// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"
#include "interpose/core/job_member.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <mutex>

/// Memory of a device in calls where only the MPI could help: one that knows nothing of GPUs would crash.
namespace typewarp::interpose {

/// Whose a call is. `copied`: the MPI makes it on copies. `refused`: only a device reaches the memory, and
/// nothing can be done.
enum class Whose : std::uint8_t { the_mpis, copied, refused };

/// Whether the MPI takes memory of GPUs, and what is said where it does not. A member of the job. Thread
/// safe.
class DeviceMemorySupport {
 public:
  /// Asks the MPI.
  explicit DeviceMemorySupport(MPI_Comm self) noexcept;

  bool takes_device_memory() const noexcept { return takes_device_memory_.load(std::memory_order_relaxed); }
  /// Not that of all ranks with which this one agrees on it.
  void deny_device_memory() noexcept { takes_device_memory_ = false; }
  /// An error code for a call, made when it is needed: an MPI has few. Throws std::bad_alloc.
  int code_for(int number);

 private:
  std::atomic<bool> takes_device_memory_ = true;
  std::mutex mutex_;
  std::array<int, calls> codes_{};
};

/// Also where no job is open.
inline bool mpi_takes_device_memory() noexcept {
  const DeviceMemorySupport* const support = JobMember<DeviceMemorySupport>::current();
  return support == nullptr || support->takes_device_memory();
}

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
