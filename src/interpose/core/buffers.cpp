// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers.hpp"

#include "engine/cuda/cuda.hpp"
#include "interpose/core/job.hpp"
#include "interpose/core/members.hpp"
#include "interpose/core/plans.hpp"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace typewarp::interpose {
namespace {

std::atomic<bool> open = false;
Taking taking = Taking::gpu;

Taking asked_for() noexcept {
  const char* text = std::getenv("TYPEWARP_TAKE");
  const std::string_view asked = text != nullptr ? text : "";
  if (asked == "all") return Taking::all;
  return asked == "derived" ? Taking::derived : Taking::gpu;
}

bool consecutive(const Plan& plan, std::int64_t count) noexcept {
  return std::holds_alternative<layout::Run>(plan.layout().root->shape) &&
         (count == 1 || plan.extent() == plan.size());
}

bool host_memory_is_ours(const Plan& plan, std::int64_t count) noexcept {
  return taking == Taking::all || (taking == Taking::derived && !consecutive(plan, count));
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

}  // namespace

// By integers: a type of absolute addresses stands on a null buffer.
const void* first_byte(const void* buffer, const Plan& plan) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                       static_cast<std::uintptr_t>(plan.layout().offset));
}

void open_buffers() noexcept {
  taking = asked_for();
  open = true;
}

void close_buffers() noexcept { open = false; }

const Plan* plan_if_ours(const void* buffer, std::int64_t count, MPI_Datatype datatype) noexcept {
  if (taking == Taking::gpu && !cuda::in_use()) return nullptr;
  if (!open.load(std::memory_order_relaxed) || count <= 0 || datatype == MPI_DATATYPE_NULL) return nullptr;
  const Plan* const plan = plan_of(datatype);
  if (plan == nullptr || plan->size() == 0) return nullptr;
  const bool taken = cuda::on_device(first_byte(buffer, *plan)) || host_memory_is_ours(*plan, count) ||
                     lies_in_several_memories(buffer, *plan);
  return taken ? plan : nullptr;
}

const Plan* plan_to_send(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                         const End& to) noexcept {
  const Plan* const plan = plan_if_ours(buffer, count, datatype);
  if (plan != nullptr && to.tag >= 0 && is_rank(to)) return plan;
  make_way();
  return nullptr;
}

const Plan* plan_to_receive(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                            const End& from) noexcept {
  const bool any = announcing() && count >= 0 && datatype != MPI_DATATYPE_NULL;
  const Plan* const plan = any ? plan_of(datatype) : plan_if_ours(buffer, count, datatype);
  return plan != nullptr && is_source(from) ? plan : nullptr;
}

bool is_source(const End& from) noexcept {
  const bool tag_is_valid = from.tag >= 0 || from.tag == MPI_ANY_TAG;
  return tag_is_valid && from.comm != MPI_COMM_NULL && (from.rank == MPI_ANY_SOURCE || is_rank(from));
}

bool packed_is_ours(const void* address) noexcept {
  return open.load(std::memory_order_relaxed) && cuda::on_device(address);
}

}  // namespace typewarp::interpose
