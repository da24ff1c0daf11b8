// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// One-sided calls to memory that only a device reaches: what they move, and what they compute.

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"
#include "interpose/core/windows/device_window.hpp"

#include <typewarp/error.hpp>
#include <typewarp/host.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::interpose {
namespace {

Data data_of(const LocalMemory& memory) {
  const Data data = data_needed(memory.buffer, memory.count, memory.type, MPI_COMM_NULL);
  if (data.bytes() > 0 && is_nowhere(data))
    throw InvalidArgument("typewarp", "origin or result buffer", "null", "must not be null");
  return data;
}

/// MPI has only these in one-sided calls.
bool is_predefined(MPI_Op op) {
  const std::array all{MPI_SUM,  MPI_PROD, MPI_MAX,  MPI_MIN,    MPI_LAND,   MPI_LOR,     MPI_LXOR,
                       MPI_BAND, MPI_BOR,  MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
  return std::ranges::find(all, op) != all.end();
}

/// As kernels of `device` address it; nothing where they cannot.
std::optional<gpu::Side> side_of(const Data& data, int device) {
  if (data.is_moved_packed()) return std::nullopt;
  const PointerInfo memory = pointer_info(at(data.address, data.plan.layout().offset));
  const bool is_reached = memory.kind == MemoryKind::pinned || memory.kind == MemoryKind::managed ||
                          (memory.kind == MemoryKind::device && memory.device == device);
  if (!is_reached) return std::nullopt;
  return gpu::Side{&data.plan, data.count, data.address, memory.kind, memory.device};
}

gpu::Side packed_side(std::byte* packed, std::int64_t bytes) {
  return {nullptr, bytes, packed, MemoryKind::pinned, -1};
}

/// Throws MpiError of class MPI_ERR_TRUNCATE.
void check_room(std::int64_t bytes, std::int64_t room) {
  if (bytes > room)
    fail(MPI_ERR_TRUNCATE, std::to_string(bytes) + " bytes, and room for " + std::to_string(room));
}

/// inout = operand op inout, of elements one behind the other.
void combine_elements(const std::byte* operand, std::byte* inout, std::int64_t elements, MPI_Aint extent,
                      MPI_Datatype element, MPI_Op op) {
  constexpr std::int64_t most = std::int64_t{1} << 30;  // that an int counts
  for (std::int64_t done = 0; done < elements; done += most) {
    const int count = static_cast<int>(std::min(most, elements - done));
    mpi::check(PMPI_Reduce_local(operand + done * extent, inout + done * extent, count, element, op),
               "MPI_Reduce_local");
  }
}

/// The same of packed bytes of a type: of pairs with padding an operation wants that, too.
void combine_on_host(const std::byte* operand, std::byte* inout, std::int64_t bytes, MPI_Datatype type,
                     MPI_Op op) {
  if (op == MPI_REPLACE) {
    std::memcpy(inout, operand, static_cast<std::size_t>(bytes));
    return;
  }
  const std::optional<MPI_Datatype> of_all = element_of(type);
  if (!of_all) fail(MPI_ERR_TYPE, "the elements are not all of one predefined type");
  const MPI_Datatype element = *of_all;
  MPI_Aint lb = 0, extent = 0;
  mpi::check(PMPI_Type_get_extent(element, &lb, &extent), "MPI_Type_get_extent");
  const Plan& plan = plan_needed(element);
  const std::int64_t elements = bytes / plan.size();
  if (extent == plan.size()) return combine_elements(operand, inout, elements, extent, element, op);
  std::vector<std::byte> in(static_cast<std::size_t>(elements * extent)), both(in.size());
  host::unpack(operand, in.data(), elements, plan, {0, bytes});
  host::unpack(inout, both.data(), elements, plan, {0, bytes});
  combine_elements(in.data(), both.data(), elements, extent, element, op);
  host::pack(both.data(), elements, plan, inout, {0, bytes});
}

/// What a kernel combines where it lies: numbers one behind the other on both sides. Nothing of what else an
/// operation takes.
std::optional<Numbers> numbers_in_line(const Data& data, const gpu::Side& there, MPI_Datatype type,
                                       MPI_Op op) {
  const std::optional<MPI_Datatype> element = element_of(type);
  const std::optional<Numbers> numbers = element ? numbers_of(*element, op) : std::nullopt;
  const bool in_line = numbers && numbers->extent == Datatype(numbers->named).size() &&
                       transport::consecutive(data.plan, data.count) &&
                       transport::consecutive(*there.plan, there.count);
  return in_line ? numbers : std::nullopt;
}

std::byte* first_byte(const gpu::Side& side) noexcept {
  return static_cast<std::byte*>(at(side.address, side.plan->layout().offset));
}

/// Packed bytes of what a call reads, in host memory.
transport::Staging packed(const Data& data) {
  transport::Staging made = staging_for_moves(data.bytes());
  Moves moves;
  moves.pack(data, made.data());
  moves.reached(true);
  return made;
}

void unpack(const std::byte* from, std::int64_t bytes, const Data& data) {
  Moves moves;
  moves.unpack(from, bytes, data);
  moves.reached(true);
}

}  // namespace

void DeviceWindow::put(const LocalMemory& from, const TargetMemory& to) {
  if (from.count == 0) return;
  epochs_.acquire(to.rank, targets_->byte_of(to.rank), window_);
  const std::lock_guard lock(mutex_);
  const Data data = data_of(from);
  const Plan& plan = plan_needed(to.type);
  if (data.bytes() == 0) return;
  const gpu::Side there = targets_->side_of(to, plan);
  check_room(data.bytes(), to.count * plan.size());
  if (const auto here = side_of(data, targets_->device())) return enqueue(there, *here, data.bytes());
  const transport::Staging staging = packed(data);
  enqueue(there, packed_side(staging.data(), data.bytes()), data.bytes());
  reach();
}

void DeviceWindow::get(const LocalMemory& to, const TargetMemory& from) {
  if (from.count == 0) return;
  epochs_.acquire(from.rank, targets_->byte_of(from.rank), window_);
  const std::lock_guard lock(mutex_);
  const Data data = data_of(to);
  const Plan& plan = plan_needed(from.type);
  if (plan.size() == 0) return;
  const gpu::Side there = targets_->side_of(from, plan);
  const std::int64_t bytes = from.count * plan.size();
  check_room(bytes, data.bytes());
  fetch(data, there, bytes);
}

void DeviceWindow::fetch(const Data& to, const gpu::Side& there, std::int64_t bytes) {
  if (const auto here = side_of(to, targets_->device())) return enqueue(*here, there, bytes);
  const transport::Staging staging = staging_for_moves(bytes);
  enqueue(packed_side(staging.data(), bytes), there, bytes);
  reach();
  unpack(staging.data(), bytes, to);
}

void DeviceWindow::accumulate(const LocalMemory* operand, const LocalMemory* result, const TargetMemory& to,
                              MPI_Op op) {
  if (!is_predefined(op) || (op == MPI_NO_OP && result == nullptr))
    fail(MPI_ERR_OP, "the operation must be a predefined one that the call has");
  if (to.count == 0) return;
  epochs_.acquire(to.rank, targets_->byte_of(to.rank), window_);
  const std::lock_guard lock(mutex_);
  const Plan& plan = plan_needed(to.type);
  if (plan.size() == 0) return;
  const gpu::Side there = targets_->side_of(to, plan);
  const std::int64_t bytes = to.count * plan.size();
  const std::optional<Data> data = operand != nullptr ? std::optional(data_of(*operand)) : std::nullopt;
  const std::optional<Data> returned = result != nullptr ? std::optional(data_of(*result)) : std::nullopt;
  if (data) check_room(data->bytes(), bytes);
  if (returned) check_room(bytes, returned->bytes());
  const std::optional<gpu::Side> here = data ? side_of(*data, targets_->device()) : std::nullopt;
  const std::optional<Numbers> numbers = here ? numbers_in_line(*data, there, to.type, op) : std::nullopt;
  if (numbers || (here && op == MPI_REPLACE)) {
    return file_.with_lock(to.rank, [&] {
      if (returned) fetch(*returned, there, bytes);
      numbers ? combine(*numbers, *here, there, data->bytes()) : enqueue(there, *here, data->bytes());
      reach();
    });
  }
  const transport::Staging given = data ? packed(*data) : transport::Staging();
  const transport::Staging staging = staging_for_moves(bytes);
  file_.with_lock(to.rank, [&] {
    enqueue(packed_side(staging.data(), bytes), there, bytes);
    reach();
    if (returned) unpack(staging.data(), bytes, *returned);
    if (!data) return;
    combine_on_host(given.data(), staging.data(), data->bytes(), to.type, op);
    enqueue(there, packed_side(staging.data(), bytes), data->bytes());
    reach();
  });
}

void DeviceWindow::combine(const Numbers& numbers, const gpu::Side& here, const gpu::Side& there,
                           std::int64_t bytes) {
  gpu::reduce(first_byte(here), first_byte(there), bytes / numbers.extent, numbers.named, numbers.operation,
              {targets_->device(), stream_});
  enqueued_ = true;
}

void DeviceWindow::compare_and_swap(const LocalMemory& operand, const LocalMemory& compare,
                                    const LocalMemory& result, const TargetMemory& to) {
  epochs_.acquire(to.rank, targets_->byte_of(to.rank), window_);
  const std::lock_guard lock(mutex_);
  const Plan& plan = plan_needed(to.type);
  const std::int64_t bytes = plan.size();
  const gpu::Side there = targets_->side_of(to, plan);
  const Data returned = data_of(result);
  const transport::Staging given = packed(data_of(operand)), expected = packed(data_of(compare));
  const transport::Staging staging = staging_for_moves(bytes);
  file_.with_lock(to.rank, [&] {
    enqueue(packed_side(staging.data(), bytes), there, bytes);
    reach();
    unpack(staging.data(), bytes, returned);
    if (std::memcmp(staging.data(), expected.data(), static_cast<std::size_t>(bytes)) != 0) return;
    enqueue(there, packed_side(given.data(), bytes), bytes);
    reach();
  });
}

}  // namespace typewarp::interpose
