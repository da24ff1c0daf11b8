// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// `offset` bytes from `address`, which may be null (absolute addresses) or outside of any object.
inline std::byte* displaced(const void* address, std::int64_t offset) {
  const auto place = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(offset);
  return reinterpret_cast<std::byte*>(place);
}

}  // namespace typewarp::gpu
