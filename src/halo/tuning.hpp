// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/halo.hpp>

#include <functional>

namespace typewarp::halo {

/// Seconds that one exchange takes this process.
using Measure = std::function<double(Exchange&)>;

/// Collective. The exchange of these fields, with the options that were asked for, in the packing that takes
/// the slowest process the shortest time. Throws what Exchange's constructor throws.
Exchange fastest(const ProcessGrid& grid, const std::vector<Field>& fields, const Options& asked,
                 std::int64_t width, const Measure& measure);

/// Collective. The median time of some exchanges, from where all processes begin until `stream` of `device`
/// (-1: none) is done. If a process fails while it packs for the first time, all throw, as in together().
/// Messages that fail tell the other processes themselves.
Measure by_clock(const ProcessGrid& grid, int device, Stream stream);

}  // namespace typewarp::halo
