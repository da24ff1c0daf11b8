// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/one_sided.hpp"

#include "engine/gpu/memory.hpp"
#include "interpose/core/buffers/plans.hpp"

#include <algorithm>

namespace typewarp::interpose {

Whose whose(std::initializer_list<LocalMemory> memories) noexcept {
  const auto is_ours = [](const LocalMemory& memory) {
    return items_are_ours(memory.buffer, memory.count, memory.type, MPI_COMM_NULL);
  };
  const auto out_of_reach = [](const LocalMemory& memory) {
    return memory.count > 0 && gpu::out_of_reach(memory.buffer) && has_no_plan(memory.type);
  };
  if (!mpi_takes_device_memory() && std::ranges::any_of(memories, out_of_reach)) return Whose::refused;
  return std::ranges::any_of(memories, is_ours) ? Whose::copied : Whose::the_mpis;
}

}  // namespace typewarp::interpose
