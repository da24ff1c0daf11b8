// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::gpu {

/// How processes use a device. Where it is time-sliced, a kernel waits for those of all others, at least some
/// 140 us; under the Multi-Process Service it waits for their blocks to end. Copies to and from host memory
/// wait for neither (decisions 041, 105).
enum class Sharing { alone, time_sliced, mps };

/// Says that another process uses the device, too. Throws GpuError.
void tell_of_sharing(int device);
/// As far as it was told. Devices from number 64 on are taken for a process's own.
Sharing sharing(int device) noexcept;

}  // namespace typewarp::gpu
