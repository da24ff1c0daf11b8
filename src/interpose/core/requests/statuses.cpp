// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/statuses.hpp"

#include "mpi/library.hpp"

#include <algorithm>

namespace typewarp::interpose {

void fill(MPI_Status* status, const Status& from) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = from.source;
  status->MPI_TAG = from.tag;
#if MPI_VERSION >= 4
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

}  // namespace typewarp::interpose
