// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Looks the calls of MPI up in the MPI's own library, as ctypes and Julia do.
//
// usage: bypass <library of an MPI> all|init   with init: MPI_Finalize is looked up where a program finds it
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* mpi = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!mpi) return 1;
  int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(mpi, "MPI_Init");
  int (*finalize)(void) = (int (*)(void))dlsym(strcmp(argv[2], "all") == 0 ? mpi : RTLD_DEFAULT, "MPI_Finalize");
  if (!init || !finalize || init(NULL, NULL) != 0 || finalize() != 0) return 1;
  fprintf(stderr, "ended\n");
  return 0;
}
