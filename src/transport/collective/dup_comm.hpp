// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

namespace typewarp::transport {

/// Where the exchanges of a communicator travel: a duplicate of it, whose messages no receive of the caller's
/// takes. Made without waiting for other ranks (MPI_Comm_idup, MPI 4.1, section 7.4.2). Where the
/// communicator is freed meanwhile, Open MPI waits for them there. Thread safe.
///
/// Exchanges have tags of their own. Those of persistent ones are told apart for as long as these live, since
/// ranks may start them in different orders; others start in the same order on all ranks, as collective calls
/// must.
class DupComm {
 public:
  /// That of `comm`, with which it is kept. At the first call for a communicator collective and nonblocking;
  /// local later. Throws MpiError.
  static std::shared_ptr<DupComm> of(MPI_Comm comm);

  DupComm(const DupComm&) = delete;
  DupComm& operator=(const DupComm&) = delete;
  /// Frees the duplicate, unless MPI is finalized.
  ~DupComm();

  /// The duplicate, MPI_COMM_NULL where it is not made yet; `block` waits for it, and moves the messages of
  /// this rank's Transport on meanwhile. Throws MpiError, whenever it is called again, too.
  MPI_Comm communicator(bool block);
  bool is_made() const noexcept { return is_made_.load(std::memory_order_acquire); }

  /// The first of `tags` consecutive ones for an exchange that is started now.
  int passing_tags(int tags) noexcept { return next(passing_, tags); }
  /// The same for a persistent one, before its first start.
  int lasting_tags(int tags) noexcept { return next(lasting_, tags); }

 private:
  /// Tags from `first` to before `end`, taken in turn.
  struct Range {
    int first, end, next = first;
  };
  explicit DupComm(MPI_Comm of);
  int next(Range& range, int tags) noexcept;
  /// Whether the duplicate is made; false also where another thread is asking.
  bool ask();

  std::atomic_flag asking_;
  MPI_Request made_ = MPI_REQUEST_NULL;
  std::exception_ptr failure_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::atomic<bool> is_made_ = false;
  std::mutex mutex_;  ///< of what follows
  Range passing_{0, 0};
  Range lasting_{0, 0};
};

}  // namespace typewarp::transport
