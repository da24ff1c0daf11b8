// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded below us, makes of an MPI one with a single lock for all of its calls, under which it also calls the
// functions of generalized requests: so are MPICH's kin where they are built with one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static int unlocked(int code) {
  pthread_mutex_unlock(&lock);
  return code;
}

// What the program calls comes here from us.
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  pthread_mutex_lock(&lock);
  return unlocked(PMPI_Testall(count, requests, flag, statuses));
}

// What we call comes here, since this is found before the MPI's own.
int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  static int (*next)(MPI_Request*, int*, MPI_Status*);
  pthread_mutex_lock(&lock);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Test");
  return unlocked(next(request, flag, status));
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  static int (*next)(int, int, MPI_Comm, int*, MPI_Status*);
  pthread_mutex_lock(&lock);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Iprobe");
  return unlocked(next(source, tag, comm, flag, status));
}
