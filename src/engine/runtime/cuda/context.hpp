// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/cuda/check.hpp"

namespace typewarp::gpu {

// Contexts that a program makes itself. The runtime's objects, and so this library's, are of a device's
// primary context. Kernels there reach memory of the device's other contexts, and streams of one can wait for
// events of another; but events are recorded in streams of their own context alone, and each has default
// streams of its own.

/// The calling thread's context of `device`, which is current, if it is another than the primary one; else
/// null, as where there is none yet.
void* context_beside_primary(int device);
void make_context_current(void* context) noexcept;

/// An event of the current context behind all that its default stream holds; null where a stream that would
/// wait for that is captured. follow() takes it, and has the default stream of what is current by then wait
/// for it, under the same condition. Both throw GpuError.
cudaEvent_t behind_default_stream();
void follow_by_default_stream(cudaEvent_t event);

/// Records an event of `device` in a stream of any context; one that is captured must be of the primary one.
/// Throws GpuError, InvalidArgument. Precondition: the primary context is current.
void record(int device, cudaEvent_t event, cudaStream_t stream);

}  // namespace typewarp::gpu
