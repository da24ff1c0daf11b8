// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/plans.hpp"

#include "interpose/core/statistics.hpp"

#include <typewarp/mpi.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

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

const Plan* kept_plan(MPI_Datatype datatype, int key) noexcept {
  void* plan = nullptr;
  int found = 0;
  const int code = PMPI_Type_get_attr(datatype, key, static_cast<void*>(&plan), &found);
  return code == MPI_SUCCESS && found != 0 ? static_cast<const Plan*>(plan) : nullptr;
}

/// Plans of predefined datatypes, which nobody frees.
class Predefined {
 public:
  const Plan& of(MPI_Datatype datatype) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = plans_.find(datatype);
      if (found != plans_.end()) return found->second;
    }
    const Plan made = commit(mpi::decode(datatype));
    const std::unique_lock lock(mutex_);
    return plans_.emplace(datatype, made).first->second;
  }

 private:
  std::shared_mutex mutex_;
  std::unordered_map<MPI_Datatype, Plan> plans_;
};

Predefined& predefined() {
  static Predefined& instance = *new Predefined;
  return instance;
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
  if (key == MPI_KEYVAL_INVALID) return nullptr;
  if (const Plan* const plan = kept_plan(datatype, key)) return plan;
  try {
    return mpi::is_named(datatype) ? &predefined().of(datatype) : nullptr;
  } catch (...) {
    return nullptr;
  }
}

void keep_plan(MPI_Datatype datatype) noexcept {
  const int key = keyval.load(std::memory_order_relaxed);
  try {
    if (key == MPI_KEYVAL_INVALID || mpi::is_named(datatype) || kept_plan(datatype, key) != nullptr) return;
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
