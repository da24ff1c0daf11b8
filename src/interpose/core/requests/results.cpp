// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/results.hpp"

#include "datatype/of_thread.hpp"
#include "interpose/core/errors.hpp"
#include "mpi/library.hpp"

#include <algorithm>
#include <vector>

namespace typewarp::interpose {
namespace {

struct Failed {
  MPI_Request handle;
  MPI_Comm comm;
  std::exception_ptr error;
};
using AllFailed = OfThread<std::vector<Failed>>;

}  // namespace

void fill(MPI_Status* status, const Status& from) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = from.source;
  status->MPI_TAG = from.tag;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  PMPI_Status_set_elements_c(status, MPI_BYTE, from.bytes);
#else
  PMPI_Status_set_elements_x(status, MPI_BYTE, from.bytes);
#endif
  PMPI_Status_set_cancelled(status, from.cancelled ? 1 : 0);
}

// Open MPI tells how long the message was, MPICH and its kin how much of it was received.
Status status_of(const transport::Truncated& error) noexcept {
  Status status = error.status();
  if (!mpi::is_open_mpi()) status.bytes = std::min(status.bytes, error.room());
  return status;
}

void failed_requests::add(MPI_Request handle, MPI_Comm comm, const std::exception_ptr& error) {
  AllFailed::get().push_back({handle, comm, error});
}

int failed_requests::take(MPI_Request handle) noexcept {
  std::vector<Failed>* const failed = AllFailed::found();
  if (failed == nullptr) return MPI_SUCCESS;
  const auto found = std::ranges::find(*failed, handle, &Failed::handle);
  if (found == failed->end()) return MPI_SUCCESS;
  const Failed taken = *found;
  failed->erase(found);
  return raise(taken.comm, taken.error);
}

void failed_requests::clear() noexcept {
  if (auto* const failed = AllFailed::found()) failed->clear();
}

}  // namespace typewarp::interpose
