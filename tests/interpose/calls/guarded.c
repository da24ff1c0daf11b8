// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls that the library leaves to the MPI, unless they are given memory that the MPI cannot take:
// then each is an error that names the call. On other memory they do what they do without the library.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

enum { elements = 100, most_ranks = 16 };

struct buffers {
  int *sent, *received;
};

/// One of the calls, as the nonblocking one if there is a request.
typedef int (*call)(const struct buffers* b, MPI_Request* request);

#define REDUCED b->sent, b->received, elements, MPI_INT, MPI_SUM
static int bcast(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Bcast, b->sent, elements, MPI_INT, 0, world.comm)
                   : TWIN(MPI_Ibcast, b->sent, elements, MPI_INT, 0, world.comm, q);
}
static int reduce(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Reduce, REDUCED, 1, world.comm) : TWIN(MPI_Ireduce, REDUCED, 1, world.comm, q);
}
static int allreduce(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Allreduce, REDUCED, world.comm) : TWIN(MPI_Iallreduce, REDUCED, world.comm, q);
}
static int allreduce_in_place(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Allreduce, MPI_IN_PLACE, b->sent, elements, MPI_INT, MPI_SUM, world.comm)
                   : TWIN(MPI_Iallreduce, MPI_IN_PLACE, b->sent, elements, MPI_INT, MPI_SUM, world.comm, q);
}
static int scan(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Scan, REDUCED, world.comm) : TWIN(MPI_Iscan, REDUCED, world.comm, q);
}
static int exscan(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Exscan, REDUCED, world.comm) : TWIN(MPI_Iexscan, REDUCED, world.comm, q);
}
static int reduce_scatter_block(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Reduce_scatter_block, REDUCED, world.comm)
                   : TWIN(MPI_Ireduce_scatter_block, REDUCED, world.comm, q);
}
#define ALL b->sent, elements, MPI_INT, b->received, elements, MPI_INT
static int allgather(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Allgather, ALL, world.comm) : TWIN(MPI_Iallgather, ALL, world.comm, q);
}
static int alltoall(const struct buffers* b, MPI_Request* q) {
  return q == NULL ? TWIN(MPI_Alltoall, ALL, world.comm) : TWIN(MPI_Ialltoall, ALL, world.comm, q);
}

static const struct {
  const char* name;
  call call;
} tried[] = {{"Bcast", bcast},
             {"Reduce", reduce},
             {"Allreduce", allreduce},
             {"Allreduce in place", allreduce_in_place},
             {"Scan", scan},
             {"Exscan", exscan},
             {"Reduce_scatter_block", reduce_scatter_block},
             {"Allgather", allgather},
             {"Alltoall", alltoall}};

enum { most_elements = elements * most_ranks };

static void fill(int* memory, int n, int seed) {
  static int host[most_elements];
  for (int i = 0; i < n; ++i) host[i] = seed + 3 * i;
  memory_write(memory, host, (size_t)n * sizeof(int));
}

static long sum(const int* memory, int n) {
  static int host[most_elements];
  long total = 0;
  memory_read(host, memory, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) total += (long)(i % 17 + 1) * host[i];
  return total;
}

/// The text of an error, which names the call.
static const char* text_of(int code) {
  static char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (code == MPI_SUCCESS) return "";
  MPI_Error_string(code, text, &length);
  return text;
}

void group_guarded(void) {
  const int n = elements * world.size;
  const size_t bytes = (size_t)n * sizeof(int);
  const struct buffers b = {memory_get(bytes), memory_get(bytes)};
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  for (size_t i = 0; i < sizeof tried / sizeof tried[0]; ++i) {
    for (int nonblocking = 0; nonblocking < 2; ++nonblocking) {
      MPI_Request request = MPI_REQUEST_NULL;
      fill(b.sent, n, 10 * world.rank);
      fill(b.received, n, 7);
      const int code = tried[i].call(&b, nonblocking ? &request : NULL);
      if (code == MPI_SUCCESS && nonblocking) MPI_Wait(&request, MPI_STATUS_IGNORE);
      report("%s%s%s: %s, %ld %ld%s", nonblocking ? "I" : "", tried[i].name, world.large ? " large" : "",
             error_text(code), sum(b.sent, n), sum(b.received, n), text_of(code));
    }
  }
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
  memory_free(b.sent);
  memory_free(b.received);
}

/// No memory is touched where there are no items, and where a lone rank's result is there already.
void group_spared(void) {
  const size_t bytes = elements * sizeof(int);
  int* memory = memory_get(bytes);
  MPI_Request request;
  fill(memory, elements, 10 * world.rank);
  TWIN(MPI_Bcast, memory, 0, MPI_INT, 0, world.comm);
  TWIN(MPI_Allreduce, MPI_IN_PLACE, memory, 0, MPI_INT, MPI_SUM, world.comm);
  TWIN(MPI_Alltoall, memory, 0, MPI_INT, memory, 0, MPI_INT, world.comm);
  report("no items%s: %ld", world.large ? " large" : "", sum(memory, elements));
  TWIN(MPI_Bcast, memory, elements, MPI_INT, 0, MPI_COMM_SELF);
  TWIN(MPI_Allreduce, MPI_IN_PLACE, memory, elements, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  TWIN(MPI_Scan, MPI_IN_PLACE, memory, elements, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  TWIN(MPI_Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory, elements, MPI_INT, MPI_COMM_SELF);
  TWIN(MPI_Ireduce, MPI_IN_PLACE, memory, elements, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  report("alone%s: %ld", world.large ? " large" : "", sum(memory, elements));
  memory_free(memory);
}
