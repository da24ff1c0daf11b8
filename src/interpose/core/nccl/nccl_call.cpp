// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl_call.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "transport/buffer/staging.hpp"

namespace typewarp::interpose::nccl {

std::optional<Side> side_of(const void* buffer, std::int64_t items, MPI_Datatype type, MPI_Comm comm) {
  const std::optional<Data> data = data_if_ours(buffer, items, type, comm);
  if (!data || data->is_moved_packed()) return std::nullopt;
  auto* const first = static_cast<std::byte*>(at(data->address, data->plan.layout().offset));
  // The driver first: this process may use no device yet.
  if (!gpu::on_device(first)) return std::nullopt;
  const PointerInfo memory = gpu::pointer_info(first);
  if (memory.kind != MemoryKind::device) return std::nullopt;
  return Side{*data, first, memory.device, transport::consecutive(data->plan, data->count)};
}

std::optional<Sides> both(const std::optional<Side>& from, const std::optional<Side>& to) {
  if (!from || !to || from->device != to->device) return std::nullopt;
  return Sides{*from, *to};
}

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type, int blocks, const Ranks& ranks) noexcept {
  if (!ranks) return 0;
  std::int64_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(packed_bytes(count, type), std::int64_t{blocks}, &bytes);
  return fits && bytes >= agreed.least_bytes.load(std::memory_order_relaxed) ? bytes : 0;
}

Readiness readiness(Kept& kept, const std::optional<Sides>& sides) noexcept {
  if (kept.is_spoilt) return Readiness::spoilt;
  if (!sides) return Readiness::none;
  const int device = sides->from.device;
  if (kept.communicator && kept.communicator->device() != device) return Readiness::none;
  if (sides->are_consecutive()) return Readiness::consecutive;
  const std::int64_t bytes = agreed.staging_bytes.load(std::memory_order_relaxed);
  if (bytes == 0) return Readiness::none;
  try {
    if (!kept.staging || kept.staging_device != device) kept.staging.emplace(device, bytes);
    kept.staging_device = device;
    return Readiness::pieces;
  } catch (const std::exception&) {  // others must hear of any
    kept.staging.reset();
    return Readiness::none;
  }
}

Readiness agree(Readiness own, std::int64_t bytes, MPI_Comm comm) {
  constexpr std::int64_t of_any_length = 0;
  const auto capability = [&] {
    return LocalCapability{
        .use = device_use(own > Readiness::none), .common = bytes, .nccl = static_cast<std::int64_t>(own)};
  };
  return static_cast<Readiness>(interpose::agree(comm, of_any_length, capability, Asking::always).nccl);
}

}  // namespace typewarp::interpose::nccl
