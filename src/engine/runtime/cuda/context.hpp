// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::gpu {

/// The calling thread's context of `device`, which is current, if it is another than the primary one, of which
/// the runtime's objects are; else null, as where there is none yet.
void* context_beside_primary(int device);
void make_context_current(void* context) noexcept;

}  // namespace typewarp::gpu
