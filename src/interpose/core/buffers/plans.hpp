// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/observe/observed.hpp"

#include <typewarp/plan.hpp>

#include <mpi.h>

#include <mutex>

/// The plan of a committed datatype, kept with it as an attribute: it goes when the MPI frees the datatype,
/// which may be after the program did, and a handle that is used anew has none.
namespace typewarp::interpose {

/// A plan, and what is counted of its datatype: null where nothing is.
struct Planned {
  Plan plan;
  UsedType* used;
};

/// A member of the job: plans are kept as long as it lives. Thread safe.
class PlanKeeper {
 public:
  explicit PlanKeeper(MPI_Comm self) noexcept;
  ~PlanKeeper();

  /// The attribute of datatypes; MPI_KEYVAL_INVALID where the MPI has none for us.
  int keyval() const noexcept { return keyval_; }
  /// That of own_comm().
  MPI_Comm comm() const noexcept { return comm_; }
  /// The plan of a derived datatype that keeps nothing yet, which it then does.
  const Planned* make_once(MPI_Datatype datatype);

 private:
  int keyval_ = MPI_KEYVAL_INVALID;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::mutex making_;  ///< of two threads the second must not replace what the first one uses
};

/// Made at the first call, so that a commit costs what the MPI's does. Null if the datatype has none: the
/// library cannot read it, which is not tried again, or it is not committed. Owned by the datatype. Throws
/// std::bad_alloc, MpiError; then the next call tries again.
const Planned* planned_of(MPI_Datatype datatype);
/// The same as planned_of() without what is counted.
const Plan* plan_of(MPI_Datatype datatype);
/// The plan that is there already; null also if a derived datatype has none yet.
const Plan* plan_made_of(MPI_Datatype datatype);
/// A datatype without a plan that is not committed is the MPI's to refuse.
bool is_committed(MPI_Datatype datatype) noexcept;
/// The same as plan_of() of a datatype that must have a plan. Throws what refuse_without_plan() throws, too.
const Plan& plan_needed(MPI_Datatype datatype);
/// Throws InvalidArgument that names the datatype and says why it has no plan.
[[noreturn]] void refuse_without_plan(MPI_Datatype datatype);
/// A communicator of this rank alone that returns its errors: for what belongs to none of the program's. Null
/// where no job is open.
MPI_Comm own_comm() noexcept;
/// Whether it is a predefined datatype, of which a plan has been asked for before.
bool is_predefined_type(MPI_Datatype datatype) noexcept;
/// The plan of packed bytes.
const Plan& bytes_plan();

}  // namespace typewarp::interpose
