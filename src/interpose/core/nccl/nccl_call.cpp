// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl_call.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "transport/buffer/staging.hpp"
#include "transport/memory/reserve.hpp"

namespace typewarp::interpose::nccl {

namespace {

std::optional<DeviceSide> side_of(const CallSide& side) {
  const std::optional<Data> data = data_if_ours(side.buffer, side.items(), side.type, side.comm);
  if (!data || data->is_moved_packed()) return std::nullopt;
  auto* const first = static_cast<std::byte*>(at(data->address, data->plan.layout().offset));
  // The driver first: this process may use no device yet.
  if (!gpu::on_device(first)) return std::nullopt;
  const PointerInfo memory = gpu::pointer_info(first);
  if (memory.kind != MemoryKind::device) return std::nullopt;
  return DeviceSide{*data, first, memory.device, transport::consecutive(data->plan, data->count)};
}

std::int64_t bytes_of(const Call& call, const Participants& ranks) noexcept {
  const bool is_of_all =
      call.pattern == CallPattern::allgather || call.pattern == CallPattern::reduce_scatter;
  const std::int64_t count = call.combines() ? call.combining.count : call.received.count;
  std::int64_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(packed_bytes(count, call.received.type),
                                            std::int64_t{is_of_all ? ranks.all : 1}, &bytes);
  return fits && bytes >= least_bytes() ? bytes : 0;
}

}  // namespace

void NcclCall::prefer(std::optional<NcclCall>& made, Call& call) noexcept {
  const Participants ranks = call.ranks();
  const std::int64_t bytes = ranks ? bytes_of(call, ranks) : 0;
  const std::optional<TypeAndOp> numbers = bytes != 0 && call.combines() ? numbers_of(call) : std::nullopt;
  if (bytes != 0 && call.combines() == numbers.has_value())
    call.form.preferred = &made.emplace(call, ranks, bytes, numbers);
}

void NcclCall::find_sides() {
  const bool in_place = call_.sent.in_place();
  // In place NCCL would write the result where the block of this rank is.
  if (in_place && call_.pattern == CallPattern::reduce_scatter) return;
  const bool sends = !in_place && call_.sent.size != 0;
  const bool receives = call_.received.size != 0;
  const std::optional<DeviceSide> to = receives ? side_of(call_.received) : std::nullopt;
  const std::optional<DeviceSide> from = sends ? side_of(call_.sent) : to;
  if (!from || (receives && !to)) return;
  const bool is_block = call_.pattern == CallPattern::allgather && sends;
  if (is_block && from->data.bytes() != bytes_ / ranks_.all) return;  // the MPI's to refuse
  if (to && from->device != to->device) return;
  if (only_.begin()) sides_ = Sides{*from, to ? *to : *from};
}

NcclCall::Readiness NcclCall::readiness() noexcept try {
  kept_ = transport::insist([&] { return kept_with(call_.comm); });  // others may wait for this rank
  if (kept_ == nullptr) return Readiness::none;
  if (kept_->is_spoilt) return Readiness::spoilt;
  find_sides();
  if (!sides_) return Readiness::none;
  const int device = sides_->from.device;
  if (kept_->communicator && kept_->communicator->device() != device) return Readiness::none;
  if (sides_->are_consecutive()) return Readiness::consecutive;
  return kept_->has_staging(device) ? Readiness::pieces : Readiness::none;
} catch (const std::exception&) {  // others must hear of it; the call that follows tells the program
  return Readiness::none;
}

LocalCapability NcclCall::prepare() noexcept {
  const Readiness own = readiness();
  return {.use = device_use(own > Readiness::none), .common = bytes_, .nccl = static_cast<std::int64_t>(own)};
}

bool NcclCall::begin(std::int64_t least) {
  const auto all = Readiness{least};
  if (all == Readiness::spoilt && kept_ != nullptr) kept_->give_up();
  if (all <= Readiness::none) return false;
  is_whole_ = all == Readiness::consecutive;
  if (!kept_->communicator) kept_->communicator = start(call_.comm, sides_->from.device, time_limit());
  if (!kept_->communicator) kept_->give_up();
  return kept_->communicator != nullptr;
}

void NcclCall::enqueue() {
  kept_->patience.reward();
  tell_taken(bytes_);
  try {
    Communicator& by = *kept_->communicator;
    by.run(sides_->to.data.stream, time_limit(), [&](const Api& api, Handle handle, Stream stream) {
      std::byte* const staging = kept_->staging ? kept_->staging->data() : nullptr;
      const Making making{*sides_, by, staging, is_whole_, api, handle, stream.get()};
      numbers_ ? enqueue_reduction(making, call_, *numbers_) : enqueue_move(making, call_, ranks_, bytes_);
    });
  } catch (...) {
    kept_->spoil();
    throw;
  }
}

std::optional<int> NcclCall::make() noexcept {
  const auto asks = [&] {
    CommAgreement* const agreement = CommAgreement::of(call_.comm);
    if (agreement == nullptr) return false;
    Kept* const kept =
        agreement->or_give_up([&] { return transport::insist([&] { return kept_with(call_.comm); }); });
    return kept != nullptr && kept->patience.asks_next();
  };
  bool is_made = false;
  const int code = guarded(call_.comm, [&] {
    is_made = (outcome || asks()) && agree_on_preferred(call_);
    if (is_made) enqueue();
  });
  return is_made || code != MPI_SUCCESS ? std::optional(code) : std::nullopt;
}

std::optional<int> make(Call& call) noexcept {
  PreferredPath* const preferred = call.form.preferred;
  return preferred != nullptr ? static_cast<NcclCall*>(preferred)->make() : std::nullopt;
}

}  // namespace typewarp::interpose::nccl
