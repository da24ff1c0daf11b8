// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl_call.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/nccl/nccl_calls.hpp"
#include "interpose/core/observe/observed.hpp"
#include "transport/buffer/staging.hpp"
#include "transport/memory/reserve.hpp"

namespace typewarp::interpose::nccl {

namespace {

std::optional<DeviceSide> side_of(const Blocks& side) {
  const std::optional<Data> data = data_if_ours(side.buffer, side.items(), side.type, side.comm);
  if (!data || data->is_moved_packed()) return std::nullopt;
  auto* const first = static_cast<std::byte*>(at(data->address, data->plan.layout().offset));
  // The driver first: this process may use no device yet.
  if (!gpu::on_device(first)) return std::nullopt;
  const PointerInfo memory = gpu::pointer_info(first);
  if (memory.kind != MemoryKind::device) return std::nullopt;
  return DeviceSide{*data, first, memory.device, transport::consecutive(data->plan, data->count)};
}

/// Makes a call of so many bytes, if all ranks can.
bool make_among(const Call& call, const Ranks& ranks, std::int64_t bytes,
                const std::optional<TypeAndOp>& numbers) {
  Kept* const kept =
      transport::insist([&] { return kept_with(call.comm); });  // others may wait for this rank
  if (kept == nullptr || !kept->asks()) return false;
  std::optional<Sides> sides;
  OnlyCall only;
  try {
    sides = sides_of(call, ranks);
  } catch (const std::exception&) {  // others must hear of it; the call that follows tells the program
    sides.reset();
  }
  if (sides && !only.begin()) sides.reset();
  const Readiness all = agree(readiness(*kept, sides), bytes, call.comm);
  if (all == Readiness::spoilt) kept->give_up();
  if (all <= Readiness::none) return false;
  if (!kept->communicator) kept->communicator = start(call.comm, sides->from.device, time_limit());
  if (!kept->communicator) {
    kept->give_up();
    return false;
  }
  kept->in_vain = 0;
  tell_taken(bytes);
  try {
    Communicator& by = *kept->communicator;
    by.run(sides->to.data.stream, time_limit(), [&](const Api& api, Handle handle, Stream stream) {
      std::byte* const staging = kept->staging ? kept->staging->data() : nullptr;
      const Making making{*sides, by, staging, all == Readiness::consecutive, api, handle, stream.get()};
      numbers ? enqueue_reduction(making, call, *numbers) : enqueue_move(making, call, ranks, bytes);
    });
  } catch (...) {
    kept->spoil();
    throw;
  }
  return true;
}

}  // namespace

std::optional<Sides> sides_of(const Call& call, const Ranks& ranks) {
  const bool in_place = call.sent.in_place();
  // In place NCCL would write the result where the block of this rank is.
  if (in_place && call.pattern == CallPattern::reduce_scatter) return std::nullopt;
  const bool sends = !in_place && call.sent.size != 0;
  const bool receives = call.received.size != 0;
  const std::optional<DeviceSide> to = receives ? side_of(call.received) : std::nullopt;
  const std::optional<DeviceSide> from = sends ? side_of(call.sent) : to;
  if (!from || (receives && !to)) return std::nullopt;
  const bool is_block = call.pattern == CallPattern::allgather && sends;
  if (is_block && from->data.bytes() != bytes_of(call, ranks) / ranks.all)
    return std::nullopt;  // the MPI's to refuse
  if (to && from->device != to->device) return std::nullopt;
  return Sides{*from, to ? *to : *from};
}

std::int64_t bytes_of(const Call& call, const Ranks& ranks) noexcept {
  const bool is_of_all =
      call.pattern == CallPattern::allgather || call.pattern == CallPattern::reduce_scatter;
  const std::int64_t count = call.combines() ? call.combining.count : call.received.count;
  std::int64_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(packed_bytes(count, call.received.type),
                                            std::int64_t{is_of_all ? ranks.all : 1}, &bytes);
  return fits && bytes >= agreed.least_bytes.load(std::memory_order_relaxed) ? bytes : 0;
}

std::optional<int> make_call(Call& call) noexcept {
  if (!call.form.blocks() || !is_open()) return std::nullopt;
  const Ranks ranks = call.ranks();
  const std::int64_t bytes = ranks ? bytes_of(call, ranks) : 0;
  const std::optional<TypeAndOp> numbers = bytes != 0 && call.combines() ? numbers_of(call) : std::nullopt;
  if (bytes == 0 || (call.combines() && !numbers)) return std::nullopt;
  bool is_made = false;
  const int code = guarded(call.comm, [&] { is_made = make_among(call, ranks, bytes, numbers); });
  return is_made || code != MPI_SUCCESS ? std::optional(code) : std::nullopt;
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
