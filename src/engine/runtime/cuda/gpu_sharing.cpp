// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/gpu_sharing.hpp"

#include "engine/runtime/cuda/check.hpp"

#include <array>
#include <atomic>

namespace typewarp::gpu {
namespace {

/// By number of the device.
constinit std::array<std::atomic<Sharing>, 64> found{};

bool has(int device) noexcept { return device >= 0 && static_cast<std::size_t>(device) < found.size(); }

}  // namespace

void tell_of_sharing(int id) {
  if (!has(id) || sharing(id) != Sharing::alone) return;
  int mps = 0;
  TYPEWARP_CUDA(cudaDeviceGetAttribute(&mps, cudaDevAttrMpsEnabled, id));
  found[static_cast<std::size_t>(id)].store(mps == 0 ? Sharing::time_sliced : Sharing::mps,
                                            std::memory_order_relaxed);
}

Sharing sharing(int id) noexcept {
  return has(id) ? found[static_cast<std::size_t>(id)].load(std::memory_order_relaxed) : Sharing::alone;
}

}  // namespace typewarp::gpu
