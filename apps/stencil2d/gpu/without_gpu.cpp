// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/gpu/gpu.hpp"

#include <typewarp/error.hpp>

namespace stencil2d::gpu {
template <typename T>
void sweep(const T*, T*, std::int64_t, Region, typewarp::Stream) {
  throw typewarp::Error("this build has no CUDA");
}

template void sweep(const float*, float*, std::int64_t, Region, typewarp::Stream);
template void sweep(const double*, double*, std::int64_t, Region, typewarp::Stream);

}  // namespace stencil2d::gpu
