// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/file_ranks.hpp"

#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/job/job.hpp"

#include <typewarp/mpi.hpp>

#include <mutex>
#include <unordered_map>

namespace typewarp::interpose {
namespace {

/// MPI has no attributes of files.
struct Kept {
  std::mutex mutex;
  std::unordered_map<MPI_File, MPI_Comm> comms;
};

Kept& kept() {
  static Kept& instance = *new Kept;
  return instance;
}

std::optional<MPI_Comm> ranks_of(MPI_File file) noexcept {
  const std::lock_guard lock(kept().mutex);
  const auto found = kept().comms.find(file);
  if (found == kept().comms.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::optional<MPI_Comm> ranks_for_file(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || mpi_takes_device_memory()) return std::nullopt;
  int ranks = 0;
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  if (ranks == 1) return MPI_COMM_NULL;
  if (!everyone_of(comm)) return std::nullopt;
  // The program may free its own, or make collective calls on it in other threads. No duplicate: its
  // attributes' functions would be called.
  constexpr int color = 0, key = 0;
  MPI_Comm made = MPI_COMM_NULL;
  mpi::check(PMPI_Comm_split(comm, color, key, &made), "MPI_Comm_split");
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);  // the file's handler hears of what fails
  return made;
}

void keep_ranks(MPI_File file, std::optional<MPI_Comm> ranks) {
  if (!ranks) return;
  const std::lock_guard lock(kept().mutex);
  kept().comms.insert_or_assign(file, *ranks);
}

void forget_ranks(MPI_File file) noexcept {
  std::optional<MPI_Comm> ranks = ranks_of(file);
  if (!ranks) return;
  {
    const std::lock_guard lock(kept().mutex);
    kept().comms.erase(file);
  }
  if (*ranks != MPI_COMM_NULL) PMPI_Comm_free(&*ranks);
}

std::optional<std::int64_t> most_of_ranks(MPI_File file, std::int64_t own) {
  const std::optional<MPI_Comm> ranks = ranks_of(file);
  if (!ranks) return std::nullopt;
  if (*ranks != MPI_COMM_NULL)
    mpi::check(PMPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT64_T, MPI_MAX, *ranks), "MPI_Allreduce");
  return own;
}

bool all_have_library(MPI_File file) noexcept { return ranks_of(file).has_value(); }

bool asks_ranks(MPI_File file) noexcept {
  const std::optional<MPI_Comm> ranks = ranks_of(file);
  return ranks && *ranks != MPI_COMM_NULL;
}

}  // namespace typewarp::interpose
