// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/windows/shared_file.hpp"

#include <mutex>

namespace typewarp::interpose {

/// Keeps accumulates of the ranks of one host to one rank's memory apart: MPI wants them atomic. By the
/// system's locks of a file, which end with the process that holds one and the children that it forked.
class AccumulateLock {
 public:
  /// The ranks' file, which outlives this.
  explicit AccumulateLock(const SharedFile& file) : file_(file) {}
  AccumulateLock(const AccumulateLock&) = delete;
  AccumulateLock& operator=(const AccumulateLock&) = delete;

  /// Calls `act` while nobody else does for `rank`.
  template <class Act>
  void with(int rank, Act act) {
    const std::lock_guard lock(mutex_);  // the file's lock is the process's
    const Held held(file_.get(), rank);
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

  const SharedFile& file_;
  std::mutex mutex_;
};

}  // namespace typewarp::interpose
