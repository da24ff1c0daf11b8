// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "workloads.hpp"

namespace typewarp::bench {

/// Bytes of the distinct 64-byte segments of user memory that a message touches.
std::int64_t touched_bytes(const Message& message);

}  // namespace typewarp::bench
