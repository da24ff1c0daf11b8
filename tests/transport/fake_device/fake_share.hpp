// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdint.h>
#include <stdio.h>

/// Memory of the fake device that other processes can map: a file of shared memory that is named after the
/// process and where it has the memory. For programs in C, too.
#ifdef __cplusplus
namespace typewarp::test {
inline
#else
static
#endif
    void
    path_of_shared(char* path, size_t room, long process, uint64_t base) {
  snprintf(path, room, "/dev/shm/fake_gpu_%ld_%llx", process, (unsigned long long)base);
}
#ifdef __cplusplus
}  // namespace typewarp::test
#endif
