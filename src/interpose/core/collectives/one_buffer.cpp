// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/one_buffer.hpp"

#include "mpi/large.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <cstddef>
#include <mutex>

namespace typewarp::interpose {

bool are_one(const OwnBlock& sent, const OwnBlock& received) noexcept {
  const auto has_items = [](const OwnBlock& block) {
    return block.count > 0 && block.buffer != MPI_BOTTOM && block.buffer != MPI_IN_PLACE;
  };
  if (sent.type != received.type || sent.type == MPI_DATATYPE_NULL) return false;
  if (!has_items(sent) || !has_items(received)) return false;
  try {
    const std::int64_t size = sent.place == received.place ? 0 : mpi::size(sent.type);
    const auto* const from = static_cast<const std::byte*>(sent.buffer);
    const auto* const to = static_cast<const std::byte*>(received.buffer);
    return from + sent.place * size == to + received.place * size;
  } catch (const MpiError&) {
    return false;
  }
}

int rank_in_group(MPI_Comm comm) noexcept {
  int between_groups = 1;
  int rank = -1;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS) return -1;
  if (between_groups == 0) PMPI_Comm_rank(comm, &rank);
  return rank;
}

bool mpi_refuses(FunctionRef<int(OneBuffer& one)> make) noexcept {
  static std::mutex mutex;  // the calls of a communicator follow each other
  const std::lock_guard lock(mutex);
  OneBuffer one;
  if (make(one) != MPI_SUCCESS) return true;
  // One that is persistent was not started.
  if (one.request == MPI_REQUEST_NULL) return false;
  PMPI_Wait(&one.request, MPI_STATUS_IGNORE);
  if (one.request != MPI_REQUEST_NULL) PMPI_Request_free(&one.request);
  return false;
}

}  // namespace typewarp::interpose
