// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <cstdint>

/// All that the programs do with CUDA, besides their own kernels. A build without CUDA has no GPUs, and
/// throws typewarp::Error from everything that would need one. CUDA's failures throw typewarp::GpuError.
namespace apps::gpu {

/// Usable GPUs of this host.
int count();
/// Makes GPU `index` current for the calling thread.
void select(int index);

/// Zeroed memory of kind pinned, managed or device, on the current GPU; never null.
void* allocate(typewarp::MemoryKind kind, std::int64_t bytes);
void release(typewarp::MemoryKind kind, void* memory) noexcept;

typewarp::Stream create_stream();
void destroy_stream(typewarp::Stream stream) noexcept;
/// Returns when all work enqueued on `stream` is done.
void synchronize(typewarp::Stream stream);

/// Enqueues a copy between memory of any kinds.
void copy(void* destination, const void* source, std::int64_t bytes, typewarp::Stream stream);

/// Enqueues the same of `rows` pieces of `width` bytes, a pitch apart on either side.
void copy_rows(void* destination, std::int64_t destination_pitch, const void* source,
               std::int64_t source_pitch, std::int64_t width, std::int64_t rows, typewarp::Stream stream);

}  // namespace apps::gpu
