// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/cuda/batch/batch.hpp"
#include "engine/gpu/launch_context.hpp"

namespace typewarp::gpu {

/// Tiles, of one block each, that a piece of so many words takes.
std::uint32_t batch_tiles(std::int64_t words, int word_log2);

// Each enqueues one kernel; the context's device is current. Throws GpuError if that fails.

/// With a table in the memory of the device.
void launch_batch(const PreparedBatch* table, const BatchSize& size, Direction direction,
                  const LaunchContext& context);

/// With a table that travels with the launch.
void launch_batch(const ShortBatch& table, Direction direction, const LaunchContext& context);
void launch_batch(const LongBatch& table, Direction direction, const LaunchContext& context);

}  // namespace typewarp::gpu
