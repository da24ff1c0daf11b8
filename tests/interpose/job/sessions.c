// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: sessions <kind of memory> [session_first|init_first]: a program that opens sessions only, and again after the last; or one that
// calls MPI_Init as well, while it has a session or before, and ends first what it began first. Exits with 1 at the first wrong byte, with
// 77 where the MPI has no sessions.
#include "../common/memory.h"

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5

enum { rows = 5, columns = 4, bytes = rows * columns * sizeof(int) };

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(1);
}

static int* matrix(int seed) {
  int host[rows][columns];
  int* memory = memory_get(bytes);
  for (int i = 0; i < rows * columns; ++i) host[i / columns][i % columns] = 1000 * seed + i;
  memory_write(memory, host, bytes);
  return memory;
}

/// A column of `from` lies in column `at`, of `to`; the rest is as it was.
static void expect_column(const int* memory, int to, int from, int column, int at) {
  int host[rows][columns];
  memory_read(host, memory, bytes);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const int expected = j == at ? 1000 * from + columns * i + column : 1000 * to + columns * i + j;
      expect(host[i][j] == expected, "a byte of the matrix");
    }
  }
}

static void ring(MPI_Comm comm, int rank, int size) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int *sent = matrix(rank), *received = matrix(50);
  MPI_Datatype column;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int count = 0;
  MPI_Type_vector(rows, 1, columns, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(received + 2, 1, column, left, 1, comm, &requests[0]);
  MPI_Isend(sent + 1, 1, column, right, 1, comm, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], column, &count);
  expect(count == 1 && statuses[0].MPI_SOURCE == left, "the status");
  expect_column(received, 50, left, 1, 2);
  MPI_Sendrecv(sent + 3, 1, column, right, 2, received + 2, 1, column, left, 2, comm, MPI_STATUS_IGNORE);
  expect_column(received, 50, left, 3, 2);
  MPI_Bcast(received + 2, 1, column, 0, comm);
  expect_column(received, 50, size - 1, 3, 2);
  MPI_Type_free(&column);
  memory_free(sent);
  memory_free(received);
}

static MPI_Comm comm_of(MPI_Session session) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "ring", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  return comm;
}

static int ring_of(MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memory_device(rank);
  ring(comm, rank, size);
  return size;
}

#ifndef OPEN_MPI
/// Waits for all ranks, which have one parent, without an MPI. MPICH alone hangs now and then where a rank begins again while another has
/// not ended.
static void meet(int size) {
  char name[64];
  snprintf(name, sizeof name, "/typewarp_sessions_%d", (int)getppid());
  const int file = shm_open(name, O_CREAT | O_RDWR, 0600);
  expect(file >= 0 && ftruncate(file, sizeof(atomic_int)) == 0, "the file where ranks meet");
  atomic_int* const arrived = mmap(NULL, sizeof *arrived, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  expect(arrived != MAP_FAILED, "the memory where ranks meet");
  atomic_fetch_add(arrived, 1);
  while (atomic_load(arrived) < size) sched_yield();
  shm_unlink(name);
  munmap(arrived, sizeof *arrived);
  close(file);
}
#endif

static int only(void) {
  MPI_Session first, second;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
  MPI_Comm comm = comm_of(second);
  MPI_Session_finalize(&first);
  const int size = ring_of(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&second);
  return size;
}

static void session_first(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm comm = comm_of(session);
  ring_of(comm);
  MPI_Init(NULL, NULL);
  ring_of(MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  ring_of(MPI_COMM_WORLD);
  MPI_Finalize();
}

static void init_first(void) {
  MPI_Session session;
  MPI_Init(NULL, NULL);
  ring_of(MPI_COMM_WORLD);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm comm = comm_of(session);
  ring_of(comm);
  MPI_Finalize();
  ring_of(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  const char* const how = argc > 2 ? argv[2] : "only";
  memory_kind(argc > 1 ? argv[1] : "host");
  if (strcmp(how, "session_first") == 0) {
    session_first();
  } else if (strcmp(how, "init_first") == 0) {
    init_first();
  } else {
    const int size = only();
#ifdef OPEN_MPI
    (void)size;  // Open MPI 5.0.11 alone crashes where a program begins again
#else
    meet(size);
    only();
#endif
  }
  return 0;
}

#else

int main(void) {
  fprintf(stderr, "skipped: this MPI has no sessions\n");
  return 77;
}

#endif
