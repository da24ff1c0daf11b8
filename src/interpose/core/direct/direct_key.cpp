// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/direct/direct_key.hpp"

#include "engine/runtime/share.hpp"
#include "interpose/core/buffers/plans.hpp"

#include <algorithm>
#include <bit>

namespace typewarp::interpose {

DirectKey::DirectKey(const Call& call) {
  words_.reserve(32);
  put(static_cast<std::uint64_t>(call.pattern) << 1 | std::uint64_t{call.among_neighbours});
  put(static_cast<std::uint64_t>(call.root));
  put(call.sent);
  put(call.received);
  // Each rank replaces what it sends: peers must not store before it is sent.
  if (call.pattern == CallPattern::alltoall && call.in_place()) is_direct_ = false;
}

void DirectKey::put(std::uint64_t word) noexcept {
  hash_ = combined_hash(hash_, word);
  words_.push_back(word);
}

void DirectKey::put(const CallSide& side) {
  put(std::bit_cast<std::uintptr_t>(side.buffer));
  put(side.size);
  put(static_cast<std::uint64_t>(side.placing));
  if (side.in_place() || side.size == 0) return;
  if (!side.is_given()) {  // the MPI's to refuse
    is_direct_ = false;
    return;
  }
  const bool is_regular = side.is_regular();
  const Plan* plan = nullptr;
  MPI_Datatype planned = MPI_DATATYPE_NULL;
  for (std::size_t i = 0; i < (is_regular ? 1 : side.size); ++i) {
    const std::int64_t count = side.count_of(i);
    put(static_cast<std::uint64_t>(count));
    if (count == 0) continue;
    const MPI_Datatype type = side.type_of(i);
    if (type != planned && type != MPI_DATATYPE_NULL) {
      plan = plan_of(planned = type);
      if (plan != nullptr) plans_.push_back(*plan);
    }
    if (plan == nullptr || type == MPI_DATATYPE_NULL) {
      is_direct_ = false;
      return;
    }
    put(std::bit_cast<std::uintptr_t>(&plan->layout()));
    const std::int64_t place = is_regular ? 0 : side.place_of(i);
    put(static_cast<std::uint64_t>(place));
    const std::int64_t unit = side.placing == CallSide::Placing::in_bytes ? 1 : plan->extent();
    if (plan->size() > 0) put_memory(side.buffer, place * unit + plan->layout().offset);
  }
}

void DirectKey::put_memory(const void* buffer, std::int64_t place) {
  const void* const address = at(buffer, place);
  const std::uint64_t allocation = gpu::allocation_number(address);
  put(allocation);
  memories_.push_back({address, allocation});
  // Types of absolute addresses may name several memories.
  is_direct_ = is_direct_ && allocation != 0 && buffer != MPI_BOTTOM;
  has_device_data_ = has_device_data_ || allocation != 0;
}

bool DirectKey::is_alive() const noexcept {
  return std::ranges::all_of(memories_, [](const Memory& memory) {
    return gpu::allocation_number(memory.address) == memory.allocation;
  });
}

}  // namespace typewarp::interpose
