// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace typewarp::gpu {

/// Cycles, about 100 us, that a thread waits before it tells the host so: a store there costs 1 to 2 us.
inline constexpr std::int64_t patience = 200'000;

}  // namespace typewarp::gpu
