// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/agreed.hpp"

#include "interpose/core/collectives/partials.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/job/job.hpp"
#include "transport/session.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>

namespace typewarp::interpose {

void open_agreed() noexcept {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  if (!session) return;
  std::array<std::int64_t, 3> least{session->options.device_pool_bytes / 4, choice_logs() != nullptr,
                                    mpi_takes_device_memory()};
  const auto numbers = static_cast<int>(least.size());
  const int code =
      PMPI_Allreduce(MPI_IN_PLACE, least.data(), numbers, MPI_INT64_T, MPI_MIN, session->comm.get());
  if (code != MPI_SUCCESS) least = {};
  const auto [partial_bytes, all_can_choose, all_take_device_memory] = least;
  open_partials(partial_bytes);
  if (all_can_choose == 0) drop_choice_logs();
  if (all_take_device_memory == 0) deny_device_memory();
}

}  // namespace typewarp::interpose
