// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <stddef.h>

enum { window_bytes = 1 << 17 };

/// The window that calls are tried in.
extern struct epoch_window {
  char* base;  ///< of this rank's part
  int is_of_kind;
  MPI_Aint places[8];  ///< the displacement of each rank's base
} window;

/// At the beginning of this rank's own part, which is locked.
void store(const void* from, size_t n);
void look(void* to, size_t n);

/// Tries every `step`th of the types, in all epochs.
void try_all(int step, MPI_Win win);
