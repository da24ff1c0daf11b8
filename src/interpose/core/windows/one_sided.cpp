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

std::int64_t bytes_of(const TargetMemory& target) noexcept {
  const Plan* const plan = target.type == MPI_DATATYPE_NULL ? nullptr : plan_of(target.type);
  std::int64_t bytes = 0;
  const bool is_known = plan != nullptr && !__builtin_mul_overflow(target.count, plan->size(), &bytes);
  return is_known ? bytes : -1;
}

void call_device(DeviceWindow& window, std::span<const LocalMemory> memories, const TargetMemory& target,
                 MPI_Op op, MPI_Request* request) {
  const LocalMemory* const first = memories.data();
  const LocalMemory* const operand = op == MPI_NO_OP ? nullptr : first;
  switch (memories.size()) {
    case 3:
      window.compare_and_swap(first[0], first[1], first[2], target);
      break;
    case 2:
      window.accumulate(operand, first + 1, target, op);
      break;
    default:
      if (first->use == Use::sent) window.put(*first, target);
      if (first->use == Use::received) window.get(*first, target);
      if (first->use == Use::operand) window.accumulate(operand, nullptr, target, op);
  }
  for (const LocalMemory& memory : memories) {
    if (memory.count > 0) tell_taken(memory.count * plan_needed(memory.type).size());
  }
  if (request == nullptr) return;
  window.wait();
  *request = operations().add(own_comm(), one(completed(own_comm(), 0)));
}

}  // namespace typewarp::interpose
