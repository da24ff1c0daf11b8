// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// How the best numbers are found from measurements.
namespace typewarp::tune {

/// Powers of two, ascending.
std::vector<std::int64_t> powers(std::int64_t first, std::int64_t last);

/// The candidate of the least cost; the first of equals. Precondition: there is one.
std::int64_t cheapest(std::span<const std::int64_t> candidates,
                      const std::function<double(std::int64_t)>& cost);

/// The last of `sizes` up to which `holds` is true for each; `otherwise` if it is not for the first.
std::int64_t last_in_a_row(std::span<const std::int64_t> sizes,
                           const std::function<bool(std::int64_t)>& holds, std::int64_t otherwise);

/// What a message in fragments took.
struct Timed {
  double fragments, bytes, us;
};
struct PieceModel {
  double cost;  ///< microseconds a fragment; not negative
  double rate;  ///< bytes a microsecond; infinite where all of the time is that of fragments
};
/// The model with the least sum of squared relative errors. Precondition: two that differ.
PieceModel fit(std::span<const Timed> measured);

}  // namespace typewarp::tune
