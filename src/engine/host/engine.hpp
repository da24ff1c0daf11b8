// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/host/policy.hpp"

#include <typewarp/host.hpp>

/// The operations of typewarp/host.hpp under a given policy.
namespace typewarp::host {

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          int threads, const Policy& policy);
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            int threads, const Policy& policy);
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, int threads,
          const Policy& policy);

}  // namespace typewarp::host
