// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

/// The host engine alone, for callers that know both sides to be host memory: no pointer is
/// inspected, no device is asked. The checks and errors are those of engine.hpp.
namespace typewarp::host {

/// `threads` takes part at most that many threads, the caller's included; 0 lets the engine choose (one for
/// small data, else as many as the process may run on, or TYPEWARP_HOST_THREADS). Throws InvalidArgument for
/// negative `threads`, and with 0, from the first operation that moves any byte, for a TYPEWARP_HOST_THREADS
/// that is no whole number from 1 to 1024. Threads of the engine's own take none of the application's
/// signals. A child of fork() starts threads of its own.
void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          int threads = 0);
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            int threads = 0);
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, int threads = 0);

}  // namespace typewarp::host
