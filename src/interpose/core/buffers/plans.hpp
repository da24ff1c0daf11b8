// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/observe/observed.hpp"

#include <typewarp/plan.hpp>

#include <mpi.h>

/// The plan of a committed datatype, kept with it as an attribute: it goes when the MPI frees the datatype,
/// which may be after the program did, and a handle that is used anew has none.
namespace typewarp::interpose {

/// To be called once MPI is initialised, and before it is finalised. Plans are kept in between only.
void open_plans(MPI_Comm self) noexcept;
void close_plans() noexcept;

/// A plan, and what is counted of its datatype: null where nothing is.
struct Planned {
  Plan plan;
  UsedType* used;
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
/// A communicator of this rank alone that returns its errors: for what belongs to none of the program's.
MPI_Comm own_comm() noexcept;
/// Whether it is a predefined datatype, of which a plan has been asked for before.
bool is_predefined_type(MPI_Datatype datatype) noexcept;
/// The plan of packed bytes.
const Plan& bytes_plan();

}  // namespace typewarp::interpose
