// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/gpu.hpp"

#include <typewarp/error.hpp>

namespace apps::gpu {
namespace {

[[noreturn]] void refuse() { throw typewarp::Error("this build has no CUDA"); }

}  // namespace

int count() { return 0; }
void select(int) { refuse(); }
void* allocate(typewarp::MemoryKind, std::int64_t) { refuse(); }
void release(typewarp::MemoryKind, void*) noexcept {}
typewarp::Stream create_stream() { refuse(); }
void destroy_stream(typewarp::Stream) noexcept {}
void synchronize(typewarp::Stream) { refuse(); }
void copy(void*, const void*, std::int64_t, typewarp::Stream) { refuse(); }

void copy_rows(void*, std::int64_t, const void*, std::int64_t, std::int64_t, std::int64_t, typewarp::Stream) {
  refuse();
}

}  // namespace apps::gpu
