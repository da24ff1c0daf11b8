// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device_resources.hpp"

#include <algorithm>

namespace typewarp::gpu {

int lowest_compute_capability() noexcept {
  constexpr int compiled[] = {__CUDA_ARCH_LIST__};  // 900 for 9.0
  return *std::min_element(std::begin(compiled), std::end(compiled)) / 10;
}

}  // namespace typewarp::gpu
