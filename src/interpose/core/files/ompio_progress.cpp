// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/ompio_progress.hpp"

#include "interpose/core/files/open_files.hpp"
#include "interpose/core/job/job.hpp"
#include "mpi/library.hpp"
#include "transport/request/progress.hpp"

#include <atomic>
#include <mutex>

// Open MPI 5.0 exports these, Open MPI 4.1 hides the first two in a component.
#pragma weak mca_common_ompio_progress
#pragma weak mca_common_ompio_progress_is_registered
#pragma weak opal_progress_register
#pragma weak opal_progress_unregister
extern "C" {
int mca_common_ompio_progress();
extern bool mca_common_ompio_progress_is_registered;
int opal_progress_register(int (*callback)());
int opal_progress_unregister(int (*callback)());
}

namespace typewarp::interpose {
namespace {

/// The MPI calls it from every thread that waits or tests. Only the program's go on: as without us.
int progress_by_program() { return transport::in_progress_thread() ? 0 : mca_common_ompio_progress(); }

constinit std::mutex changing;
std::atomic<bool> is_ours = false;

bool can_be_replaced() noexcept {
  return &mca_common_ompio_progress != nullptr && &mca_common_ompio_progress_is_registered != nullptr &&
         &opal_progress_register != nullptr && &opal_progress_unregister != nullptr;
}

}  // namespace

// Not before OMPIO has opened a file, which makes the list that its function reads. OMPIO registers the
// function with its first request unless the flag is set.
void keep_ompio_from_progress_thread(MPI_File file) noexcept {
  if (!mpi::is_open_mpi() || is_ours || !job_is_open() || !can_be_replaced() || !calls_ranks_alone(file))
    return;
  const std::lock_guard lock(changing);
  if (is_ours || opal_progress_register(progress_by_program) != 0) return;
  mca_common_ompio_progress_is_registered = true;
  opal_progress_unregister(mca_common_ompio_progress);
  is_ours = true;
}

void give_back_ompio_progress() noexcept {
  const std::lock_guard lock(changing);
  if (!is_ours.exchange(false)) return;
  opal_progress_unregister(progress_by_program);
  mca_common_ompio_progress_is_registered = false;
}

bool ompio_requests_are_safe() noexcept { return is_ours || !job_is_open(); }

}  // namespace typewarp::interpose
