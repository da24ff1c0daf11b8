// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <memory>

namespace emulated {

/// A launch of a kernel.
struct Launch {
  unsigned blocks, threads;
  std::size_t shared;
  std::shared_ptr<const Call> call;
};
/// Null for a kernel that nobody knows.
std::shared_ptr<const Call> bound(const void* kernel, void** arguments);

/// Runs all blocks, one after the other, in the calling thread.
void run(const Launch& launch);

}  // namespace emulated
