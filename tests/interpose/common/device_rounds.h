// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rounds of programs whose first argument is the kind of their memory.
#pragma once

#include "memory.h"
#include "rounds.h"

/// Begins the MPI; device memory is that of this rank's own device.
static inline void begin_program(int* argc, char*** argv, const char* kind) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_kind(*argc > 1 ? (*argv)[1] : kind);
  memory_device(rank);
}
