// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/memory_file.hpp"
#include "engine/runtime/share.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace typewarp::sharing {

/// A range as others can map it.
struct RangeHandle {
  gpu::SharedMemory memory;
  std::int64_t bytes;
};

/// What a handle says.
struct Registration {
  FilePlace page;
  std::int64_t signals;
  std::vector<RangeHandle> ranges;
};

std::vector<std::byte> to_handle(const Registration& registration);
/// Throws InvalidArgument that names "handle" for bytes that to_handle() has not made.
Registration from_handle(std::span<const std::byte> handle);

}  // namespace typewarp::sharing
