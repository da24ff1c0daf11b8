// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/flags.hpp"

#include <cstdint>

namespace typewarp::gpu {

/// Steps of one launch, as its parameters: `raised` flags, then `awaited` ones, then those that are lowered.
struct FlagTable {
  static constexpr int room = 60;

  int raised = 0, awaited = 0, lowered = 0;
  std::uint64_t* count = nullptr;
  const Flag* gate = nullptr;
  Flag* flags[room] = {};
};

/// Enqueues one kernel; the context's device is current. Throws GpuError.
void launch_flags(const FlagTable& table, std::uint64_t number, const LaunchContext& context);

}  // namespace typewarp::gpu
