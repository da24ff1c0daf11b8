// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace typewarp::gpu {

/// One device of this process.
struct DeviceFacts {
  std::string name, bus;  ///< "NVIDIA H200", "0000:18:00.0"
  std::int64_t memory;    ///< bytes
  int multiprocessors;
  int compute_capability;      ///< 10 * major + minor
  bool usable;                 ///< whether the compiled kernels run there
  std::vector<int> reachable;  ///< other devices whose memory its kernels may touch
};

struct Inventory {
  std::string driver, runtime;  ///< versions, "13.0"; empty where there is none
  std::string problem;          ///< why devices are missing here; else empty
  std::vector<DeviceFacts> devices;
};

/// Asks the driver, which it initialises. Never throws for what the machine lacks.
Inventory inventory();

}  // namespace typewarp::gpu
