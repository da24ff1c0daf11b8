// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/plans.hpp"

#include "base/never_destroyed.hpp"
#include "interpose/core/job_member.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/observe/statistics.hpp"
#include "mpi/named.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

namespace typewarp::interpose {
namespace {

Planned planned(const Datatype& datatype) {
  return {commit(datatype), observing().any() ? &used_type(datatype) : nullptr};
}

/// Counts plans that live.
struct Counted : Planned {
  explicit Counted(const Planned& given) : Planned(given) { ++plan_counts.alive; }
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --plan_counts.alive; }
};

// A duplicate is committed if the original is.
int copy_plan(MPI_Datatype, int, void*, void* value, void* copy, int* flag) noexcept {
  try {
    const Planned* const original = static_cast<const Counted*>(value);
    *static_cast<void**>(copy) = original == nullptr ? nullptr : new Counted(*original);
    *flag = 1;
  } catch (...) {
    *flag = 0;
  }
  return MPI_SUCCESS;
}

int delete_plan(MPI_Datatype, int, void* value, void*) noexcept {
  delete static_cast<Counted*>(value);
  return MPI_SUCCESS;
}

/// What a datatype keeps: its plan, null if it cannot have one, nothing if nobody has tried.
std::optional<const Planned*> kept_plan(MPI_Datatype datatype, int key) noexcept {
  void* kept = nullptr;
  int found = 0;
  const int code = PMPI_Type_get_attr(datatype, key, static_cast<void*>(&kept), &found);
  if (code != MPI_SUCCESS || found == 0) return std::nullopt;
  return static_cast<const Counted*>(kept);
}

/// Nothing of what cannot be read. Any other failure says nothing of the datatype.
std::optional<Planned> planned_if_readable(MPI_Datatype datatype) {
  try {
    return planned(mpi::decode(datatype));
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

/// Makes a derived datatype keep a plan, which is the datatype's then, or that it can have none.
const Planned* keep(MPI_Datatype datatype, int key, std::unique_ptr<Counted> made) {
  mpi::check(PMPI_Type_set_attr(datatype, key, made.get()), "MPI_Type_set_attr");
  return made.release();
}

/// Plans of predefined datatypes, which nobody frees. They are found without a lock and without a call of the
/// MPI, and stay.
class Predefined {
 public:
  struct Entry {
    MPI_Datatype datatype;
    std::optional<Planned> plan;  ///< nothing if it cannot be read
    const Entry* next;

    const Planned* planned() const noexcept { return plan ? &*plan : nullptr; }
  };

  /// Null for one that has not been added.
  const Entry* found(MPI_Datatype datatype) const noexcept {
    const Entry* entry = list(datatype).load(std::memory_order_acquire);
    while (entry != nullptr && entry->datatype != datatype) entry = entry->next;
    return entry;
  }
  const Entry& add(MPI_Datatype datatype) {
    const std::optional<Planned> plan = planned_if_readable(datatype);
    const std::lock_guard lock(mutex_);
    if (const Entry* const known = found(datatype)) return *known;
    std::atomic<const Entry*>& first = list(datatype);
    const auto* const made = new Entry{datatype, plan, first.load()};
    first.store(made, std::memory_order_release);
    return *made;
  }

 private:
  using Lists = std::array<std::atomic<const Entry*>, 61>;
  std::atomic<const Entry*>& list(MPI_Datatype datatype) { return lists_[place(datatype)]; }
  const std::atomic<const Entry*>& list(MPI_Datatype datatype) const { return lists_[place(datatype)]; }
  static std::size_t place(MPI_Datatype datatype) noexcept {
    return std::hash<MPI_Datatype>()(datatype) % std::tuple_size_v<Lists>;
  }

  std::mutex mutex_;
  Lists lists_{};
};

Predefined& predefined() {
  static NeverDestroyed<Predefined> instance;
  return instance.get();
}

enum class Missing { is_made, stays_missing };

const Planned* find(MPI_Datatype datatype, Missing missing) {
  PlanKeeper* const keeper = JobMember<PlanKeeper>::current();
  if (keeper == nullptr || keeper->keyval() == MPI_KEYVAL_INVALID) return nullptr;
  if (const Predefined::Entry* const known = predefined().found(datatype)) return known->planned();
  if (const auto kept = kept_plan(datatype, keeper->keyval())) return *kept;
  if (mpi::is_named(datatype)) return predefined().add(datatype).planned();
  return missing == Missing::is_made && is_committed(datatype) ? keeper->make_once(datatype) : nullptr;
}

const Plan* plan_in(const Planned* planned) noexcept { return planned == nullptr ? nullptr : &planned->plan; }

}  // namespace

PlanKeeper::PlanKeeper(MPI_Comm self) noexcept {
  if (PMPI_Comm_dup(self, &comm_) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  int created = MPI_KEYVAL_INVALID;
  if (PMPI_Type_create_keyval(copy_plan, delete_plan, &created, nullptr) == MPI_SUCCESS) keyval_ = created;
}

PlanKeeper::~PlanKeeper() {
  if (keyval_ != MPI_KEYVAL_INVALID) PMPI_Type_free_keyval(&keyval_);
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

const Planned* PlanKeeper::make_once(MPI_Datatype datatype) {
  const std::lock_guard lock(making_);
  if (const auto kept = kept_plan(datatype, keyval_)) return *kept;
  const std::optional<Planned> made = planned_if_readable(datatype);
  ++(made ? plan_counts.planned : plan_counts.not_planned);
  return keep(datatype, keyval_, made ? std::make_unique<Counted>(*made) : nullptr);
}

const Planned* planned_of(MPI_Datatype datatype) { return find(datatype, Missing::is_made); }

// No call tells, but a message to nobody, who reads nothing of it, is an error otherwise.
bool is_committed(MPI_Datatype datatype) noexcept {
  constexpr int count = 1;  // MPICH does not look at the datatype of none
  constexpr char unread = 0;
  const MPI_Comm own = own_comm();
  return own != MPI_COMM_NULL && PMPI_Send(&unread, count, datatype, MPI_PROC_NULL, 0, own) == MPI_SUCCESS;
}

const Plan* plan_of(MPI_Datatype datatype) { return plan_in(planned_of(datatype)); }

const Plan* plan_made_of(MPI_Datatype datatype) { return plan_in(find(datatype, Missing::stays_missing)); }

const Plan& plan_needed(MPI_Datatype datatype) {
  const Plan* const plan = datatype == MPI_DATATYPE_NULL ? nullptr : plan_of(datatype);
  if (plan == nullptr) refuse_without_plan(datatype);
  return *plan;
}

void refuse_without_plan(MPI_Datatype datatype) {
  const bool is_null = datatype == MPI_DATATYPE_NULL;
  std::string rule = "must have been committed";
  try {
    if (!is_null && is_committed(datatype)) {
      rule = "must be one that Typewarp can read, where memory of a GPU is given";
      static_cast<void>(planned(mpi::decode(datatype)));
    }
  } catch (const InvalidArgument& unread) {
    rule.append(" (").append(unread.what()).append(")");
  }
  throw InvalidArgument("typewarp", "datatype", is_null ? "MPI_DATATYPE_NULL" : mpi::name_of(datatype), rule);
}

MPI_Comm own_comm() noexcept {
  const PlanKeeper* const keeper = JobMember<PlanKeeper>::current();
  return keeper != nullptr ? keeper->comm() : MPI_COMM_NULL;
}

bool is_predefined_type(MPI_Datatype datatype) noexcept { return predefined().found(datatype) != nullptr; }

const Plan& bytes_plan() { return plan_needed(MPI_BYTE); }

}  // namespace typewarp::interpose
