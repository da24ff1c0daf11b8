// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/window_epochs.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <numeric>

namespace typewarp::interpose {
namespace {

constexpr int post_tag = 1;

/// Errors of a communicator that returns them.
void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  int error_class = code;
  PMPI_Error_class(code, &error_class);
  throw MpiError(call, code, error_class, "failed", false);
}

}  // namespace

WindowEpochs::WindowEpochs(MPI_Comm comm) {
  int ranks = 0;
  int rank = 0;
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  locks_.resize(static_cast<std::size_t>(ranks), Lock::none);
  // A duplicate would copy the program's attributes.
  constexpr int all = 0;
  mpi::check(PMPI_Comm_split(comm, all, rank, &comm_), "MPI_Comm_split");
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

WindowEpochs::~WindowEpochs() { PMPI_Comm_free(&comm_); }

void WindowEpochs::set(int rank, Lock lock) {
  const std::lock_guard guard(mutex_);
  if (rank >= 0 && static_cast<std::size_t>(rank) < locks_.size())
    locks_[static_cast<std::size_t>(rank)] = lock;
}

void WindowEpochs::set_all(Lock lock) {
  const std::lock_guard guard(mutex_);
  std::ranges::fill(locks_, lock);
}

void WindowEpochs::acquire(int rank, MPI_Aint displacement, MPI_Win window) {
  const auto is_asked_for = [&] {
    const std::lock_guard guard(mutex_);
    return locks_[static_cast<std::size_t>(rank)] == Lock::asked_for;
  };
  if (!is_asked_for()) return;
  // Other threads may have to let go of what the holder waits for.
  mpi::check(PMPI_Get(&fetched_, 1, MPI_CHAR, rank, displacement, 1, MPI_CHAR, window), "MPI_Get");
  mpi::check(PMPI_Win_flush(rank, window), "MPI_Win_flush");
  if (is_asked_for()) set(rank, Lock::held);
}

void WindowEpochs::fenced() { check(PMPI_Barrier(comm_), "MPI_Barrier"); }

std::vector<int> WindowEpochs::ranks_of(MPI_Group group) const {
  int size = 0;
  check(PMPI_Group_size(group, &size), "MPI_Group_size");
  std::vector<int> theirs(static_cast<std::size_t>(size)), ours(theirs.size(), MPI_PROC_NULL);
  std::iota(theirs.begin(), theirs.end(), 0);
  MPI_Group all = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm_, &all), "MPI_Comm_group");
  const int code = PMPI_Group_translate_ranks(group, size, theirs.data(), all, ours.data());
  PMPI_Group_free(&all);
  check(code, "MPI_Group_translate_ranks");
  return ours;
}

void WindowEpochs::posted(MPI_Group group) {
  for (const int rank : ranks_of(group)) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Isend(nullptr, 0, MPI_BYTE, rank, post_tag, comm_, &request), "MPI_Isend");
    check(PMPI_Request_free(&request), "MPI_Request_free");
  }
}

void WindowEpochs::started(MPI_Group group) {
  for (const int rank : ranks_of(group))
    check(PMPI_Recv(nullptr, 0, MPI_BYTE, rank, post_tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
}

}  // namespace typewarp::interpose
