// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/context.hpp"
#include "engine/runtime/memory.hpp"

namespace typewarp::gpu {

// AMD's devices have one context each.
void* context_beside_primary(int) { return nullptr; }
void make_context_current(void*) noexcept {}
bool is_of_primary_context(const void*) { return true; }
cudaEvent_t behind_default_stream() { return nullptr; }
void follow_by_default_stream(cudaEvent_t) {}
void record(int, cudaEvent_t event, cudaStream_t stream) { TYPEWARP_CUDA(cudaEventRecord(event, stream)); }

}  // namespace typewarp::gpu
