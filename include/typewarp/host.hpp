// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

/// The host engine alone, for callers that know both sides to be host memory: it does not look up what kind
/// of memory a pointer points to. The checks and errors are those of engine.hpp.
namespace typewarp::host {

/// At most `threads` threads take part, the caller's included; 0 lets the engine choose (one for small data,
/// else as many as the process may run on, or TYPEWARP_HOST_THREADS). Throws InvalidArgument for negative
/// `threads`; with 0, also for a TYPEWARP_HOST_THREADS that is not a whole number from 1 to 1024, from the
/// first operation that moves any byte. The engine's own threads receive none of the application's signals.
/// After fork(), the child starts its own threads.
void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          int threads = 0);
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            int threads = 0);
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, int threads = 0);

}  // namespace typewarp::host
