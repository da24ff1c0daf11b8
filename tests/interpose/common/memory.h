// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <stddef.h>

/// Memory of one kind, as the programs here get it: host, pinned, managed or device, or of any of these. All
/// but the first need a GPU, and a build with CUDA.

/// Chooses the kind of all that memory_get gives: a device's where it is "any". Ends the program with 77 where
/// there is no such memory, and says so on stderr.
void memory_kind(const char* kind);
/// Whether the program may look at what memory_get gives.
int memory_is_host(void);
/// Whether a device moves it, and may still be at it when a call returns.
int memory_is_moved_by_device(void);
/// Puts this process on device `rank` modulo the number of devices, unless the kind is host.
void memory_device(int rank);
/// Never NULL: ends the program if there is no memory left.
void* memory_get(size_t bytes);
/// Where the kind is "any", `random` says which one.
void* memory_get_any(unsigned random, size_t bytes);
void memory_free(void* memory);
/// Both are done when they return. `host` is the program's own memory.
void memory_write(void* memory, const void* host, size_t bytes);
void memory_read(void* host, const void* memory, size_t bytes);
/// Bytes of the device in use by anybody; 0 if the kind is host.
size_t memory_of_device(void);
