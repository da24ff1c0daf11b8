// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef OPEN_SHARED_H
#define OPEN_SHARED_H

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

/// A new file that all ranks open, in host memory, which goes when it is closed. `name` is filled.
static inline MPI_File open_shared(const char* what, char* name, size_t size, MPI_Info info) {
  MPI_File file;
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, size, "/dev/shm/typewarp-%s-%d", what, process);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
  return file;
}

#endif
