// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"

#include <typewarp/engine.hpp>

#include <cstdint>

namespace stencil2d::gpu {

/// Enqueues one iteration over `region`, like sweep() of sweep.hpp and with the same result to the last bit.
template <typename T>
void sweep(const T* from, T* to, std::int64_t pitch, Region region, typewarp::Stream stream);

}  // namespace stencil2d::gpu
