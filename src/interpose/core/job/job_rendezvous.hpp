// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/job/found_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace typewarp::interpose {

/// How the ranks of a job on one host find out which of them have this library, before any may send what only
/// it understands. They meet in memory that they find by the name of the job. Each enters before MPI_Init;
/// the first that comes out of it closes it for those that are late, and all see the same end: either every
/// rank that entered has told its number, or nobody counts on any. A rank that leaves without doing so ends
/// it for all, at once.
class JobRendezvous {
 public:
  /// What a rank says of itself: `everywhere` takes it that all ranks of the job have the library; one that
  /// `stays_out` ends the rendezvous for all, and ranks that enter while it holds this find it ended.
  enum class Entrant : std::uint8_t { takes_part, everywhere, stays_out };
  /// Nothing for a process that no launcher has started, and where there is no such memory.
  static std::optional<JobRendezvous> enter(Entrant as) noexcept;
  JobRendezvous(JobRendezvous&& other) noexcept;
  JobRendezvous& operator=(JobRendezvous&&) = delete;
  ~JobRendezvous();

  enum class Gathered : std::uint8_t { all, not_all, too_late };
  /// Before MPI_Init: whether as many ranks enter. It ends for all when one stays out, or after ten
  /// seconds: then it is too late in one rank, and in the others not all have come.
  Gathered gather(int ranks) noexcept;

  /// After MPI_Init: how many ranks have entered, this one among them. The same in all; none enters any more.
  int close() noexcept;
  /// After that: whether all of them have entered for everywhere. The same in all.
  bool all_say_everywhere() noexcept;
  /// After that: so many bytes of memory that all of them have mapped, 0 at first, aligned for any type. All
  /// ask for as many. Null if it cannot be had here.
  std::shared_ptr<std::byte[]> share(std::size_t bytes) const noexcept;
  /// The last step, when this rank has all that it needs: the numbers of all ranks that entered, in order.
  /// False if some rank did not tell its own in time, or they cannot be those of a job of so many. The same
  /// in all. Precondition: `ranks` has room for as many as close() said.
  bool agree(int rank, int job_size, std::span<int> ranks) noexcept;

 private:
  struct Meeting;
  struct Count;

  JobRendezvous(FoundMemory memory, Meeting* meeting) noexcept;

  FoundMemory memory_;
  Meeting* meeting_;  ///< null: this one has been moved from
  int place_ = 0;     ///< among those that entered
};

/// How many processes of the job the launcher has started on this host; 0 where it does not say.
int ranks_on_host() noexcept;

}  // namespace typewarp::interpose
