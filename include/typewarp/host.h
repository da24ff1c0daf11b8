// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The host engine alone, for C programs that know both sides to be host memory (host.hpp). The bytes are in
// place when a call returns. `range` null: all. `threads`: the most threads that take part; 0: the
// engine chooses.

#include <typewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// tw_pack() and tw_unpack() for host memory.
tw_result tw_host_pack(const void* buffer, int64_t count, const tw_plan* plan, void* packed,
                       const tw_byte_range* range, int threads);
tw_result tw_host_unpack(const void* packed, void* buffer, int64_t count, const tw_plan* plan,
                         const tw_byte_range* range, int threads);
/// `range` null: both sides must have the same number of bytes.
tw_result tw_host_copy(const void* source, int64_t source_count, const tw_plan* source_plan,
                       void* destination, int64_t destination_count, const tw_plan* destination_plan,
                       const tw_byte_range* range, int threads);

#ifdef __cplusplus
}
#endif
