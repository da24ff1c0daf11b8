// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

namespace typewarp::explanation {

/// Measures the rates of a profile, and the launch, on `device`; takes about a second. Rates are those of
/// contiguous bytes (1 GiB within the device, 64 MiB over the link), which the engine gives to copy engines;
/// the launch is the move of one byte within the device, by a kernel. Throws GpuError.
void measure_rates(MachineProfile& profile, int device);

}  // namespace typewarp::explanation
