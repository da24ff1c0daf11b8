// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/plans.hpp"

#include "interpose/core/statistics.hpp"

#include <typewarp/mpi.hpp>

#include <atomic>
#include <memory>

namespace typewarp::interpose {
namespace {

std::atomic<int> keyval = MPI_KEYVAL_INVALID;

std::unique_ptr<Plan> counted_plan(const Plan& plan) {
  auto made = std::make_unique<Plan>(plan);
  ++statistics.plans;
  return made;
}

// A duplicate is committed if the original is.
int copy_plan(MPI_Datatype, int, void*, void* value, void* copy, int* flag) noexcept {
  try {
    *static_cast<void**>(copy) = counted_plan(*static_cast<const Plan*>(value)).release();
    *flag = 1;
  } catch (...) {
    *flag = 0;
  }
  return MPI_SUCCESS;
}

int delete_plan(MPI_Datatype, int, void* value, void*) noexcept {
  delete static_cast<Plan*>(value);
  --statistics.plans;
  return MPI_SUCCESS;
}

}  // namespace

void open_plans() noexcept {
  int created = MPI_KEYVAL_INVALID;
  if (PMPI_Type_create_keyval(copy_plan, delete_plan, &created, nullptr) == MPI_SUCCESS) keyval = created;
}

void close_plans() noexcept {
  int closed = keyval.exchange(MPI_KEYVAL_INVALID);
  if (closed != MPI_KEYVAL_INVALID) PMPI_Type_free_keyval(&closed);
}

const Plan* plan_of(MPI_Datatype datatype) noexcept {
  const int key = keyval.load(std::memory_order_relaxed);
  void* plan = nullptr;
  int found = 0;
  if (key == MPI_KEYVAL_INVALID ||
      PMPI_Type_get_attr(datatype, key, static_cast<void*>(&plan), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  return found != 0 ? static_cast<const Plan*>(plan) : nullptr;
}

void keep_plan(MPI_Datatype datatype) noexcept {
  const int key = keyval.load(std::memory_order_relaxed);
  try {
    if (key == MPI_KEYVAL_INVALID || mpi::is_named(datatype) || plan_of(datatype) != nullptr) return;
    std::unique_ptr<Plan> plan = counted_plan(commit(mpi::decode(datatype)));
    if (PMPI_Type_set_attr(datatype, key, plan.get()) != MPI_SUCCESS) {
      --statistics.plans;
      return;
    }
    [[maybe_unused]] Plan* kept = plan.release();  // the datatype owns it now
    ++statistics.planned;
  } catch (...) {
    ++statistics.not_planned;
  }
}

}  // namespace typewarp::interpose
