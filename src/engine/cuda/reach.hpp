// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::cuda {

/// Whether only a device can touch this memory: that of cudaMalloc and its kin, but not managed memory. As
/// on_device() it makes no context, and says false while CUDA is not in use.
bool out_of_reach(const void* pointer) noexcept;

}  // namespace typewarp::cuda
