// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"

#include <cstdint>

namespace stencil2d {

/// One iteration on the CPU: to = stencil(from) for the points of `region` of two local arrays whose rows are
/// `pitch` elements apart. Reads one point beyond the region on every side. For float and double.
template <typename T>
void sweep(const T* from, T* to, std::int64_t pitch, Region region);

}  // namespace stencil2d
