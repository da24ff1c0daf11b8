// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/flags.hpp"
#include "engine/gpu/cuda/batch/copy_table.hpp"

namespace typewarp::gpu {

/// What the host remembers of a table in device memory.
struct CopiesSize {
  std::uint32_t tiles;
  bool regular;
};

/// Enqueues one kernel, which moves nothing if it finds `gate` raised; the context's device is current.
/// Throws GpuError if that fails.
void launch_prepared(const LongCopies* table, const CopiesSize& size, const Flag* gate,
                     const LaunchContext& context);

}  // namespace typewarp::gpu
