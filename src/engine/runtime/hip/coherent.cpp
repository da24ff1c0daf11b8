// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/cuda/coherent.hpp"

namespace typewarp::gpu {

cudaError_t allocate_coherent(void** memory, std::size_t bytes) {
  return hipExtMallocWithFlags(memory, bytes, hipDeviceMallocFinegrained);
}

}  // namespace typewarp::gpu
