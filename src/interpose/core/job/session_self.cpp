// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/session_self.hpp"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

#include <utility>

// An older MPI of the same ABI has none of them, and the core is to load with it.
#pragma weak PMPI_Session_init
#pragma weak PMPI_Session_finalize
#pragma weak PMPI_Group_from_session_pset
#pragma weak PMPI_Comm_create_from_group

namespace typewarp::interpose {
namespace {

MPI_Session session;  // not MPI_SESSION_NULL, which is a symbol that Open MPI 4.1 has not
bool has_session = false;
MPI_Comm self = MPI_COMM_NULL;

}  // namespace

MPI_Comm open_session_self(int& rank) noexcept {
  if (PMPI_Session_init == nullptr || PMPI_Comm_create_from_group == nullptr) return MPI_COMM_NULL;
  has_session = PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS;
  if (!has_session) return MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS) {
    PMPI_Group_rank(group, &rank);
    PMPI_Group_free(&group);
  }
  if (PMPI_Group_from_session_pset(session, "mpi://SELF", &group) == MPI_SUCCESS) {
    PMPI_Comm_create_from_group(group, "typewarp", MPI_INFO_NULL, MPI_ERRORS_RETURN, &self);
    PMPI_Group_free(&group);
  }
  if (self == MPI_COMM_NULL) close_session_self();
  return self;
}

void close_session_self() noexcept {
  if (self != MPI_COMM_NULL) PMPI_Comm_free(&self);
  if (std::exchange(has_session, false)) PMPI_Session_finalize(&session);
}

}  // namespace typewarp::interpose

#else

namespace typewarp::interpose {

MPI_Comm open_session_self(int&) noexcept { return MPI_COMM_NULL; }
void close_session_self() noexcept {}

}  // namespace typewarp::interpose

#endif
