// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// What the library has done in this process so far, for measurements and tests.
namespace typewarp {

/// Kernels that were launched, except those of persistent operations and of Batch objects. 0 without a GPU.
std::uint64_t kernel_launches() noexcept;

}  // namespace typewarp
