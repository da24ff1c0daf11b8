// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/memory_file.hpp"

#include <mpi.h>

#include <mutex>

namespace typewarp::interpose {

/// A file of memory that the ranks of one host have open, with a lock for each rank. It has no name, so it
/// ends with the last process that has it, however that ends.
class WindowFile {
 public:
  /// Collective over `comm`. Throws MpiError, and Error in all ranks where one of them cannot open the file.
  explicit WindowFile(MPI_Comm comm);

  int get() const noexcept { return file_.get(); }

  /// Calls `act` while no other rank or thread does so for `rank`: MPI wants accumulates to be atomic. The
  /// system's lock ends with the process that holds it and the children that it forked.
  template <class Act>
  void with_lock(int rank, Act act) {
    const std::lock_guard lock(mutex_);  // the file's lock is the process's
    const Locked locked(file_.get(), rank);
    act();
  }

 private:
  class Locked {
   public:
    Locked(int file, int rank);
    Locked& operator=(Locked&&) = delete;
    ~Locked();

   private:
    int file_;
    int rank_;
  };

  FileDescriptor file_;
  std::mutex mutex_;
};

}  // namespace typewarp::interpose
