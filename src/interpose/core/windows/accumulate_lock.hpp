// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>

namespace typewarp::interpose {

/// Keeps accumulates of the ranks of one host to one rank's memory apart: MPI wants them atomic. By the
/// system's locks of a file, which end with the process that holds one and the children that it forked.
class AccumulateLock {
 public:
  /// Collective over `comm`. Throws MpiError, and Error in all ranks where one of them cannot open the file.
  explicit AccumulateLock(MPI_Comm comm);
  AccumulateLock(const AccumulateLock&) = delete;
  AccumulateLock& operator=(const AccumulateLock&) = delete;
  ~AccumulateLock();

  /// Calls `act` while nobody else does for `rank`.
  template <class Act>
  void with(int rank, Act act) {
    const std::lock_guard lock(mutex_);  // the file's lock is the process's
    const Held held(file_, rank);
    act();
  }

 private:
  class Held {
   public:
    Held(int file, int rank);
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();

   private:
    int file_;
    int rank_;
  };

  int file_ = -1;
  std::mutex mutex_;
};

}  // namespace typewarp::interpose
