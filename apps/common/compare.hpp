// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"

#include <span>
#include <string>

namespace apps {

/// What distinguishes two states, to the last bit: "" if nothing does. A state is planes of a box, one after
/// the other, each of which is called a `plane`.
std::string difference(std::span<const double> state, std::span<const double> other, Shape box,
                       const std::string& plane);

/// By how much the total has changed, relative to the sum of the absolute values, at the start or at the end,
/// whichever is larger: the total may be 0, and a field may decay. Not a number if any is not.
double imbalance(std::span<const double> start, std::span<const double> end);
/// What rounding explains; flows between cells add up to 0.
inline constexpr double largest_imbalance = 1e-12;

}  // namespace apps
