// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/host_device.hpp"

#include <cstdint>

namespace typewarp::gpu {

/// Where a kernel counts one up when all that it moves is in place; nowhere if null. Kernels that have the
/// same one must follow each other.
struct DeviceCounter {
  std::uint64_t* counter = nullptr;  ///< in device memory; the word after it is this counter's, too
  std::uint64_t* reached = nullptr;  ///< in host memory: gets the count, after what was moved

  /// Thread blocks of the kernel that have come to their end; 0 between kernels.
  TYPEWARP_HD std::uint32_t* ended() const { return reinterpret_cast<std::uint32_t*>(counter + 1); }
};

}  // namespace typewarp::gpu
