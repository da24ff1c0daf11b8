// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls outside of communication that take the address of data. Memory that the MPI cannot take is an error that names
// the call.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

enum { elements = 20, room = elements * sizeof(int) };

static void tell(const char* name, int code, long n, const int* memory) {
  int host[elements];
  long total = 0;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  memory_read(host, memory, sizeof host);
  for (int i = 0; i < elements; ++i) total = total * 31 % 1000003 + host[i] % 1009;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  report("%s%s: %s, %ld %ld %s", name, world.large ? " large" : "", error_text(code), n, total, text);
}

static void external(const int* from, int* packed, int* to) {
  static const char* const as = "external32";
  int code;
  MPI_Aint position = 0;
#if MPI_VERSION >= 4
  if (world.large) {
    MPI_Count at = 0;
    code = MPI_Pack_external_c(as, from, elements, MPI_INT, packed, room, &at);
    tell("MPI_Pack_external", code, (long)at, packed);
    at = 0;
    code = MPI_Unpack_external_c(as, packed, room, &at, to, elements, MPI_INT);
    tell("MPI_Unpack_external", code, (long)at, to);
    return;
  }
#endif
  code = MPI_Pack_external(as, from, elements, MPI_INT, packed, room, &position);
  tell("MPI_Pack_external", code, (long)position, packed);
  position = 0;
  code = MPI_Unpack_external(as, packed, room, &position, to, elements, MPI_INT);
  tell("MPI_Unpack_external", code, (long)position, to);
}

/// Room for messages by MPI_Bsend, which the MPI itself writes.
static void attached(int* memory, const int* sent, int* received) {
  int* detached = NULL;
  int size = 0;
  int code = TWIN(MPI_Buffer_attach, memory, room + MPI_BSEND_OVERHEAD);
  tell("MPI_Buffer_attach", code, 0, sent);
  if (code == MPI_SUCCESS) {
    MPI_Bsend(sent, elements, MPI_INT, world.right, 1, world.comm);
    MPI_Recv(received, elements, MPI_INT, world.left, 1, world.comm, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &size);
    tell("MPI_Bsend", detached == memory ? MPI_SUCCESS : MPI_ERR_BUFFER, size, received);
  }
#if MPI_VERSION >= 5
  code = TWIN(MPI_Comm_attach_buffer, world.comm, memory, room + MPI_BSEND_OVERHEAD);
  tell("MPI_Comm_attach_buffer", code, 0, sent);
  if (code == MPI_SUCCESS) {
    MPI_Bsend(received, elements, MPI_INT, world.right, 1, world.comm);
    MPI_Recv(received, elements, MPI_INT, world.left, 1, world.comm, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(world.comm, &detached, &size);
    tell("MPI_Bsend by communicator", detached == memory ? MPI_SUCCESS : MPI_ERR_BUFFER, size, received);
  }
#endif
}

void group_external(void) {
  int host[elements];
  int *from = memory_get(room), *to = memory_get(room), *buffer = memory_get(room + MPI_BSEND_OVERHEAD);
  for (int i = 0; i < elements; ++i) host[i] = 1000 * world.rank + 7 * i;
  memory_write(from, host, room);
  memory_write(to, host, room);
  memory_write(buffer, host, room);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  external(from, buffer, to);
  attached(buffer, from, to);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  memory_free(from);
  memory_free(to);
  memory_free(buffer);
}
