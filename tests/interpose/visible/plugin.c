// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The references of a library that the program loads with its MPI, as Python does.
#include <stddef.h>

int MPI_Comm_attach_buffer(void) __attribute__((weak));

extern void* references[] __attribute__((visibility("hidden")));
void** plugin_references(void) { return references; }
/// By the global offset table.
int plugin_can_attach(void) { return MPI_Comm_attach_buffer != NULL; }
