// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace typewarp::gpu {

class Device;

/// Has Device::prepare() load the kernels of a family: an object of static storage beside them. The runtime
/// would load each kernel at its first launch, and wait there for the whole device.
class KernelLoader {
 public:
  using Load = void (*)(const Device&);

  explicit KernelLoader(Load load) noexcept : load_(load), next_(std::exchange(newest(), this)) {}
  KernelLoader(const KernelLoader&) = delete;
  KernelLoader& operator=(const KernelLoader&) = delete;

  /// Loads those of all families onto the device, which is current.
  static void load_all(const Device& device) {
    for (const KernelLoader* loader = newest(); loader != nullptr; loader = loader->next_)
      loader->load_(device);
  }

 private:
  static const KernelLoader*& newest() noexcept {
    static const KernelLoader* loader = nullptr;
    return loader;
  }

  Load load_;
  const KernelLoader* next_;
};

/// Loads a kernel onto the current device. `shared` is the bytes of dynamic shared memory that its blocks may
/// have, if that is more than they have unasked. Returns the compute capability, times 10, that its code was
/// compiled for.
int load_kernel(const void* kernel, int shared = 0);

}  // namespace typewarp::gpu
