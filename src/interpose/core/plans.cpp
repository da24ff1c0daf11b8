// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/plans.hpp"

#include "interpose/core/observed.hpp"
#include "interpose/core/statistics.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace typewarp::interpose {
namespace {

std::atomic<int> keyval = MPI_KEYVAL_INVALID;

Planned planned(const Datatype& datatype) {
  return {commit(datatype), observing().any() ? &used_type(datatype) : nullptr};
}

std::unique_ptr<Planned> counted(const Planned& given) {
  auto made = std::make_unique<Planned>(given);
  ++plan_counts.alive;
  return made;
}

// A duplicate is committed if the original is.
int copy_plan(MPI_Datatype, int, void*, void* value, void* copy, int* flag) noexcept {
  try {
    *static_cast<void**>(copy) = counted(*static_cast<const Planned*>(value)).release();
    *flag = 1;
  } catch (...) {
    *flag = 0;
  }
  return MPI_SUCCESS;
}

int delete_plan(MPI_Datatype, int, void* value, void*) noexcept {
  delete static_cast<Planned*>(value);
  --plan_counts.alive;
  return MPI_SUCCESS;
}

const Planned* kept_plan(MPI_Datatype datatype, int key) noexcept {
  void* kept = nullptr;
  int found = 0;
  const int code = PMPI_Type_get_attr(datatype, key, static_cast<void*>(&kept), &found);
  return code == MPI_SUCCESS && found != 0 ? static_cast<const Planned*>(kept) : nullptr;
}

/// Plans of predefined datatypes, which nobody frees.
class Predefined {
 public:
  const Planned& of(MPI_Datatype datatype) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = plans_.find(datatype);
      if (found != plans_.end()) return found->second;
    }
    const Planned made = planned(mpi::decode(datatype));
    const std::unique_lock lock(mutex_);
    return plans_.emplace(datatype, made).first->second;
  }

 private:
  std::shared_mutex mutex_;
  std::unordered_map<MPI_Datatype, Planned> plans_;
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

const Planned* planned_of(MPI_Datatype datatype) noexcept {
  const int key = keyval.load(std::memory_order_relaxed);
  if (key == MPI_KEYVAL_INVALID) return nullptr;
  if (const Planned* const kept = kept_plan(datatype, key)) return kept;
  try {
    return mpi::is_named(datatype) ? &predefined().of(datatype) : nullptr;
  } catch (...) {
    return nullptr;
  }
}

const Plan* plan_of(MPI_Datatype datatype) noexcept {
  const Planned* const found = planned_of(datatype);
  return found == nullptr ? nullptr : &found->plan;
}

const Plan& plan_needed(MPI_Datatype datatype) {
  const Plan* const plan = datatype == MPI_DATATYPE_NULL ? nullptr : plan_of(datatype);
  if (plan == nullptr) {
    throw InvalidArgument("typewarp", "datatype", "one without a plan", "must have been committed");
  }
  return *plan;
}

const Plan& bytes_plan() { return plan_needed(MPI_BYTE); }

void keep_plan(MPI_Datatype datatype) noexcept {
  const int key = keyval.load(std::memory_order_relaxed);
  try {
    if (key == MPI_KEYVAL_INVALID || mpi::is_named(datatype) || kept_plan(datatype, key) != nullptr) return;
    std::unique_ptr<Planned> made = counted(planned(mpi::decode(datatype)));
    if (PMPI_Type_set_attr(datatype, key, made.get()) != MPI_SUCCESS) {
      --plan_counts.alive;
      return;
    }
    [[maybe_unused]] Planned* kept = made.release();  // the datatype owns it now
    ++plan_counts.planned;
  } catch (...) {
    ++plan_counts.not_planned;
  }
}

}  // namespace typewarp::interpose
