// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"

#include <typewarp/hints.hpp>

/// A side stream is one of the library's, of another priority, for work of a caller's stream: it follows what
/// that stream holds, and what that stream is given later follows it. The host waits for nothing, and both
/// streams may be captured. Each caller's stream has side streams of its own, since what waits in one must
/// not hold up another.
namespace typewarp::gpu {

/// Whether work of `stream` would have another priority than wanted. Priority::automatic wants none.
bool needs_side_stream(int device, Stream stream, Priority priority);

/// Enqueues work under the same context on the side stream of its stream. The context's device is current.
/// Throws GpuError, and what `enqueue` throws.
void on_side_stream(const LaunchContext& context, Priority priority, const Enqueue& enqueue);

}  // namespace typewarp::gpu
