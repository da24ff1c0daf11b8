// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/launcher.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/runtime/enqueue.hpp"

#include <algorithm>
#include <iterator>

namespace typewarp::gpu {
namespace {

/// The compute capability, times 10, that brought kernels which wait by themselves for what they follow.
constexpr int waiting_since = 90;

/// Stands for all kernels, which are compiled alike. Never launched.
__global__ void any_kernel() {}

}  // namespace

bool kernels_can_wait() { return load_kernel(kernel_address(any_kernel)) >= waiting_since; }

int lowest_compute_capability() noexcept {
  constexpr int compiled[] = {__CUDA_ARCH_LIST__};  // 900 for 9.0
  return *std::min_element(std::begin(compiled), std::end(compiled)) / 10;
}

}  // namespace typewarp::gpu
