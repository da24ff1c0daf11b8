// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::interpose {

/// How the ranks of a job on one host find out which of them have this library, before any may send what only
/// it understands. They meet in a file of shared memory that is named after the process that started them:
/// the nearest ancestor that is not a rank itself. Each enters before MPI_Init; the first that comes out of
/// it closes the file for those that are late, and all see the same end: either every rank that entered has
/// told its number, or nobody counts on any.
class JobRendezvous {
 public:
  /// Nothing for a process that no launcher has started, and where there is no shared memory.
  static std::optional<JobRendezvous> enter() noexcept;
  JobRendezvous(JobRendezvous&& other) noexcept;
  JobRendezvous& operator=(JobRendezvous&&) = delete;
  ~JobRendezvous();

  /// Before MPI_Init: whether as many ranks enter, which takes up to ten seconds if not. The same in all, for
  /// which the rendezvous is of no more use then.
  bool gather(int ranks) noexcept;

  /// After MPI_Init: the numbers of all ranks that entered, this one's among them, in order; none if some
  /// rank did not tell its number in time. The same in all.
  std::vector<int> agree(int rank) noexcept;

  /// After agree() found some: so many bytes of memory that all of them have mapped, 0 at first, aligned for
  /// any type. All ask for as many. Null if it cannot be had here.
  std::shared_ptr<std::byte[]> share(std::size_t bytes) const noexcept;

 private:
  JobRendezvous(int file, std::string path, int place) noexcept;
  bool has_ended(int rank, bool tell, bool give_up, std::vector<int>& ranks) const;

  int file_;
  std::string path_;
  int place_;  ///< among those that entered
};

/// How many processes of the job the launcher has started on this host; 0 where it does not say.
int ranks_on_host() noexcept;

/// What names the meeting place of this process's job; empty if it has none.
std::string job_name();

}  // namespace typewarp::interpose
