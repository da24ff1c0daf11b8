// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/device.hpp"

#include <typewarp/error.hpp>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
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

/// The device that an argument names; -1: the current one. Precondition: present(). Throws InvalidArgument
/// where there is none of that number.
inline int device_of_argument(std::string_view call, std::string_view argument, int device) {
  if (device == -1) return current_device();
  const auto devices = std::ssize(inventory().devices);
  if (device >= 0 && device < devices) return device;
  throw InvalidArgument(call, argument, device,
                        "must be -1 or one of " + std::to_string(devices) + " devices");
}

}  // namespace typewarp::gpu
