// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/gpu.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace typewarp::transport {

/// Memory for packed fragments, beside that of a message.
struct DeviceMemory {
  std::byte* data = nullptr;
  std::shared_ptr<void> owner;
  std::optional<gpu::SharedMemory> name = std::nullopt;  ///< by which other ranks can map it
};

}  // namespace typewarp::transport
