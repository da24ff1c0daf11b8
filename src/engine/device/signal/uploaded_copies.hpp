// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signalled_copies.hpp"
#include "engine/runtime/device_resources.hpp"
#include "engine/device/signal/flag_table.hpp"

#include <list>
#include <vector>

namespace typewarp::gpu {

/// Copies as tables in memory of a device, one for each launch.
class UploadedCopies {
 public:
  /// Waits until they are there. Throws GpuError.
  UploadedCopies(const std::vector<CopyMember>& members, Device& device);

  const std::vector<CopiesInDevice>& launches() const noexcept { return launches_; }

 private:
  std::list<DeviceMemory> memory_;
  std::vector<CopiesInDevice> launches_;
};

}  // namespace typewarp::gpu
