// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/buffers.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/buffers/moves.hpp"
#include "mpi/large.hpp"
#include "transport/buffer/staging.hpp"

#include <typewarp/error.hpp>

#include <atomic>

namespace typewarp::interpose {
namespace {

std::atomic<bool> open = false;
Taking taking = Taking::gpu;

bool host_memory_is_ours(const Plan& plan, std::int64_t count) noexcept {
  return taking >= Taking::all || (taking == Taking::derived && !transport::consecutive(plan, count));
}

std::shared_ptr<const Stretches> split(const void* buffer, const void* address, std::int64_t count,
                                       const Plan& plan) {
  if (buffer != MPI_BOTTOM) return stretches_of_buffer(address, count, plan);
  return stretches_of(address, count, plan, taking == Taking::stretches ? Apart::blocks : Apart::memories);
}

/// What a call gives, as ours.
Data data_of(const void* buffer, std::int64_t displacement, std::int64_t count, const Plan& plan,
             MPI_Comm comm) {
  void* const address = at(buffer, displacement);
  look_for_device_users(at(address, plan.layout().offset));
  return {address, count, hinted(plan, comm), split(buffer, address, count, plan), stream_of(comm)};
}

// MPICH counts members without data among the true bounds, so either may lie outside of the buffer.
bool ends_in(bool (*memory)(const void*) noexcept, const void* address, MPI_Datatype datatype) noexcept {
  MPI_Aint true_lb = 0;
  MPI_Aint true_extent = 0;
  return PMPI_Type_get_true_extent(datatype, &true_lb, &true_extent) == MPI_SUCCESS &&
         (memory(at(address, true_lb)) || memory(at(address, true_lb + true_extent - 1)));
}

/// Throws UnreadableMemory for what the MPI would have to move, and cannot: of a datatype without a plan. One
/// that is not committed is the MPI's to refuse.
void expect_in_reach(const void* address, MPI_Datatype datatype) {
  if (mpi_takes_device_memory() || !ends_in(gpu::out_of_reach, address, datatype)) return;
  if (!is_committed(datatype)) return;
  try {
    refuse_without_plan(datatype);
  } catch (const InvalidArgument& why) {
    throw UnreadableMemory(why);
  }
}

/// What a call gives with a committed datatype that has no plan.
Data opaque_data(void* address, std::int64_t count, MPI_Datatype datatype, MPI_Comm comm) {
  if (count > 0) expect_in_reach(address, datatype);
  const Plan as_many_bytes = commit(contiguous(mpi::size(datatype), Named::byte));
  return {address, count, as_many_bytes, nullptr, stream_of(comm), std::make_shared<OpaqueType>(datatype)};
}

// Of the group that messages go to. MPI_PROC_NULL is none.
bool is_rank(const End& end) noexcept {
  if (end.comm == MPI_COMM_NULL || end.rank < 0) return false;
  int between_groups = 0;
  int size = 0;
  PMPI_Comm_test_inter(end.comm, &between_groups);
  if (between_groups != 0) {
    PMPI_Comm_remote_size(end.comm, &size);
  } else {
    PMPI_Comm_size(end.comm, &size);
  }
  return end.rank < size;
}

std::optional<Data> nothing(Reason reason) noexcept {
  tell_left(reason);
  return std::nullopt;
}

}  // namespace

void open_buffers() noexcept {
  taking = taking_of_environment();
  open = true;
}

void close_buffers() noexcept { open = false; }

bool any_may_be_ours() noexcept { return taking != Taking::gpu || gpu::in_use(); }

bool any_may_be_staged() noexcept {
  return taking != Taking::gpu || (!mpi_takes_device_memory() && gpu::in_use());
}

std::optional<Data> data_if_ours(const void* buffer, std::int64_t count, MPI_Datatype datatype, MPI_Comm comm,
                                 std::int64_t displacement) {
  if (taking == Taking::gpu && !gpu::in_use()) return nothing(Reason::no_gpu);
  if (!open.load(std::memory_order_relaxed)) return nothing(Reason::outside);
  if (count <= 0 || datatype == MPI_DATATYPE_NULL) return nothing(Reason::no_data);
  const Plan* plan = plan_made_of(datatype);
  if (plan == nullptr) {
    // Of a large datatype a plan costs more than a message, so it is made for one that may be ours.
    const bool one_memory = taking == Taking::gpu && buffer != MPI_BOTTOM;
    if (one_memory && !ends_in(gpu::on_device, at(buffer, displacement), datatype))
      return nothing(Reason::host_memory);
    plan = plan_of(datatype);
  }
  if (plan == nullptr) {
    expect_in_reach(at(buffer, displacement), datatype);
    return nothing(Reason::not_planned);
  }
  if (plan->size() == 0) return nothing(Reason::no_data);
  const Data data = data_of(buffer, displacement, count, *plan, comm);
  if (data.is_split() || gpu::on_device(at(data.address, plan->layout().offset))) return data;
  if (host_memory_is_ours(*plan, count)) return data;
  return nothing(taking == Taking::derived ? Reason::consecutive : Reason::host_memory);
}

std::optional<Data> data_to_send(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                 const End& to) {
  if (to.rank == MPI_PROC_NULL && any_may_be_ours()) return nothing(Reason::no_peer);
  const std::optional<Data> data = data_if_ours(buffer, count, datatype, to.comm);
  if (data && to.tag >= 0 && is_rank(to)) {
    get_ready();
    return data;
  }
  return data ? nothing(Reason::no_peer) : data;
}

std::optional<Data> data_to_receive(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                    const End& from, Posting& posting) {
  if (from.rank == MPI_PROC_NULL) posting.end();
  const bool ours = receives_are_ours();
  if (idle()) return nothing(Reason::no_gpu);
  if (from.rank == MPI_PROC_NULL) return nothing(Reason::no_peer);
  std::optional<Data> data;
  if (!ours || count < 0 || datatype == MPI_DATATYPE_NULL) {
    data = data_if_ours(buffer, count, datatype, from.comm);
  } else if (const Plan* const plan = plan_of(datatype)) {
    data = data_of(buffer, 0, count, *plan, from.comm);
  } else if (is_committed(datatype)) {
    data = opaque_data(const_cast<void*>(buffer), count, datatype, from.comm);
  } else {
    return nothing(Reason::not_planned);
  }
  if (!data) return data;
  if (!is_source(from)) return nothing(Reason::no_peer);
  posting.end();
  return data;
}

std::optional<Data> data_to_replace(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                    const End& to, const End& from, Posting& posting) {
  std::optional<Data> data = data_to_send(buffer, count, datatype, to);
  if (!data) data = data_to_receive(buffer, count, datatype, from, posting);
  if (data && !(is_end_of_send(to) && is_end_of_receive(from))) return nothing(Reason::no_peer);
  if (data) posting.end();
  return data;
}

Data data_needed(const void* buffer, std::int64_t count, MPI_Datatype datatype, MPI_Comm comm,
                 std::int64_t displacement) {
  const bool is_null = datatype == MPI_DATATYPE_NULL;
  if (const Plan* const plan = is_null ? nullptr : plan_of(datatype))
    return data_of(buffer, displacement, count, *plan, comm);
  if (is_null || !is_committed(datatype)) refuse_without_plan(datatype);
  return opaque_data(at(buffer, displacement), count, datatype, comm);
}

bool is_source(const End& from) noexcept {
  const bool tag_is_valid = from.tag >= 0 || from.tag == MPI_ANY_TAG;
  return tag_is_valid && from.comm != MPI_COMM_NULL && (from.rank == MPI_ANY_SOURCE || is_rank(from));
}

bool is_end_of_send(const End& to) noexcept {
  return to.rank == MPI_PROC_NULL || (to.tag >= 0 && is_rank(to));
}

bool is_end_of_receive(const End& from) noexcept { return from.rank == MPI_PROC_NULL || is_source(from); }

bool packed_is_ours(const void* address) noexcept {
  return open.load(std::memory_order_relaxed) && gpu::on_device(address);
}

}  // namespace typewarp::interpose
