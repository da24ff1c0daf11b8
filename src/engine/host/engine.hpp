// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/host/policy.hpp"

#include <typewarp/host.hpp>
#include <typewarp/plan.hpp>

#include <string>
#include <string_view>

/// The operations of typewarp/host.hpp under a given policy.
namespace typewarp::host {

/// That `range` lies in [0, size): InvalidArgument otherwise, which names `call`.
void check_range(std::string_view call, ByteRange range, std::int64_t size);

/// Threads, of at most `threads` (0: as many as the process may use), that `work` touched bytes keep busy.
int worthwhile_threads(int threads, std::int64_t work, const Policy& policy);

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          int threads, const Policy& policy);
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            int threads, const Policy& policy);
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, int threads,
          const Policy& policy);

/// How pack() and unpack() would move all bytes of (count, plan) between host memories.
struct HostDecision {
  int threads;       ///< that would take part, unless the caller says otherwise
  std::string walk;  ///< the nodes that kernels were chosen for, outermost first
};

/// Moves nothing. The move must not be empty.
HostDecision decision(const Plan& plan, std::int64_t count);

}  // namespace typewarp::host
