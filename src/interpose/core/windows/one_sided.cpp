// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/one_sided.hpp"

#include "interpose/core/buffers/plans.hpp"
#include "mpi/large.hpp"

namespace typewarp::interpose {

bool any_is_ours(std::initializer_list<LocalMemory> memories) {
  bool any = false;
  for (const LocalMemory& memory : memories)
    any |= items_are_ours(memory.buffer, memory.count, memory.type, MPI_COMM_NULL);
  return any;
}

std::int64_t bytes_of(const TargetMemory& target) {
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
    if (memory.count > 0) tell_taken(memory.count * mpi::size(memory.type));
  }
  if (request == nullptr) return;
  window.wait();
  *request = operations().add(own_comm(), one(completed(own_comm(), 0)));
}

}  // namespace typewarp::interpose
