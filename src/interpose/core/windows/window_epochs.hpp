// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace typewarp::interpose {

/// Epochs of a window in which some calls are not the MPI's: these may begin when the epoch has, but an MPI
/// may put off what begins it until a call of its own needs it. Thread safe.
class WindowEpochs {
 public:
  /// Collective over `comm`. Throws MpiError.
  explicit WindowEpochs(MPI_Comm comm);
  WindowEpochs(const WindowEpochs&) = delete;
  WindowEpochs& operator=(const WindowEpochs&) = delete;
  ~WindowEpochs();

  MPI_Comm comm() const noexcept { return comm_; }

  // Each follows the MPI's call. Throw MpiError.

  void locked(int rank);
  void locked_all();
  void unlocked(int rank);
  void unlocked_all();
  void fenced();                  ///< returns when all ranks are there
  void posted(MPI_Group group);   ///< after MPI_Win_post
  void started(MPI_Group group);  ///< after MPI_Win_start: returns when all of the group have posted

  /// Before a call to `rank` that is not the MPI's: where the epoch is that of a lock, returns with the lock.
  /// The MPI's window must have a byte at `displacement` there.
  void acquire(int rank, MPI_Aint displacement, MPI_Win window);

 private:
  enum class Lock : std::uint8_t { none, asked_for, held };

  std::vector<int> ranks_of(MPI_Group group) const;
  void set_all(Lock lock);
  void set(int rank, Lock lock);

  MPI_Comm comm_ = MPI_COMM_NULL;
  char fetched_ = 0;  ///< what is asked of a rank for the sake of its lock
  std::mutex mutex_;
  std::vector<Lock> locks_;  ///< of each rank
};

}  // namespace typewarp::interpose
