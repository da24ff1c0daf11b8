// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace typewarp::interpose {

/// Epochs of a window in which a device makes some calls. These may begin when the epoch has begun, but an
/// MPI may put off its beginning until one of its own calls needs it. Thread safe.
class WindowEpochs {
 public:
  /// Collective over `comm`. Throws MpiError.
  explicit WindowEpochs(MPI_Comm comm);
  WindowEpochs(const WindowEpochs&) = delete;
  WindowEpochs& operator=(const WindowEpochs&) = delete;
  ~WindowEpochs();

  MPI_Comm comm() const noexcept { return comm_; }

  // Each follows the MPI's call. Throw MpiError.

  void locked(int rank) { set(rank, Lock::asked_for); }
  void locked_all() { set_all(Lock::asked_for); }
  void unlocked(int rank) { set(rank, Lock::none); }
  void unlocked_all() { set_all(Lock::none); }
  void fenced();                  ///< returns when all ranks are there
  void posted(MPI_Group group);   ///< after MPI_Win_post
  void started(MPI_Group group);  ///< after MPI_Win_start: returns when all of the group have posted

  /// Before a device's call to `rank`: in the epoch of a lock, returns when this rank has the lock. The MPI's
  /// window must have a byte at `displacement` there.
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
