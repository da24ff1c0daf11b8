// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/session_self.hpp"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

// An older MPI of the same ABI has none of them, and the core is to load with it.
#pragma weak PMPI_Session_init
#pragma weak PMPI_Session_finalize
#pragma weak PMPI_Group_from_session_pset
#pragma weak PMPI_Comm_create_from_group

namespace typewarp::interpose {

SessionSelf::SessionSelf() noexcept {
  if (PMPI_Session_init == nullptr || PMPI_Comm_create_from_group == nullptr) return;
  has_session_ = PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_) == MPI_SUCCESS;
  if (!has_session_) return;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Group_from_session_pset(session_, "mpi://WORLD", &group) == MPI_SUCCESS) {
    PMPI_Group_rank(group, &rank_);
    PMPI_Group_free(&group);
  }
  if (PMPI_Group_from_session_pset(session_, "mpi://SELF", &group) == MPI_SUCCESS) {
    PMPI_Comm_create_from_group(group, "typewarp", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm_);
    PMPI_Group_free(&group);
  }
}

SessionSelf::~SessionSelf() {
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  if (has_session_) PMPI_Session_finalize(&session_);
}

}  // namespace typewarp::interpose

#else

namespace typewarp::interpose {

SessionSelf::SessionSelf() noexcept = default;
SessionSelf::~SessionSelf() = default;

}  // namespace typewarp::interpose

#endif
