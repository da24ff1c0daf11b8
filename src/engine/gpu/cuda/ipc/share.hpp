// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/device.hpp"

#include <array>
#include <cstdint>

/// Names of processes and devices that hold beyond this process.
namespace typewarp::gpu {

using ProcessName = std::array<std::uint64_t, 2>;

/// Drawn at random on first use, since numbers of processes repeat from container to container. A child made
/// by fork() after that has its parent's, but no use of CUDA either.
const ProcessName& this_process();

/// The device of that UUID; -1 if this process sees none.
int device_named(const DeviceName& name);

}  // namespace typewarp::gpu
