// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioned communication: whether the MPI is given the memory.
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5

static void tell(const char* call, int code, MPI_Request* request) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  if (code == MPI_SUCCESS) MPI_Request_free(request);
  report("%s: %s, %s", call, error_text(code), text);
}

void group_partitioned(void) {
  if (world.large) return;  // these have no twins
  struct side s = side_of(0, 100, 0, 0);
  MPI_Request request;
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  int code = MPI_Psend_init(s.buf, 1, s.count, s.shape.type, world.right, 8, world.comm, MPI_INFO_NULL, &request);
  tell("MPI_Psend_init", code, &request);
  code = MPI_Precv_init(s.buf, 1, s.count, s.shape.type, world.left, 9, world.comm, MPI_INFO_NULL, &request);
  tell("MPI_Precv_init", code, &request);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  side_free(&s);
}

#else

void group_partitioned(void) {}

#endif
