// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/copy.hpp"

namespace typewarp::gpu {

/// How processes use a device. By turns, a kernel waits for those of all others, some 140 us at the least;
/// served by the Multi-Process Service, it waits for blocks of theirs to end. Copies to and from host memory
/// wait for neither (decision 041).
enum class Sharing { alone, by_turns, served };

/// Says that another process uses the device, too. Throws GpuError.
void tell_of_sharing(int device);
/// As far as it was told. Devices from number 64 on are taken for a process's own.
Sharing sharing(int device) noexcept;

/// Whether copy engines move the first `bytes` bytes of a side, in memory of `device`, to or from page-locked
/// memory in less time than a kernel waits: one run, or not too many rows of equal length. Not where hints
/// name a method, or avoid copy engines. What prepare() does comes first.
bool suits_copy_engines(const Side& side, std::int64_t bytes, int device);
/// copy() by copy engines alone, where one side is page-locked memory. False where they do not suit: nothing
/// was enqueued then.
bool copy_by_engines(const Side& destination, const Side& source, ByteRange range,
                     const LaunchContext& context);

}  // namespace typewarp::gpu
