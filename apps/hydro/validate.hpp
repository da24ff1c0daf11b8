// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"

#include <string>
#include <vector>

namespace hydro {

/// What distinguishes two states, to the last bit: "" if nothing does.
std::string difference(const std::vector<double>& state, const std::vector<double>& other, apps::Shape box);

/// By how much the total of any variable has changed, relative to the sum of the absolute values at the end:
/// the total of a momentum may be 0.
double imbalance(const std::vector<double>& start, const std::vector<double>& end);
/// What rounding explains; flows between cells add up to 0.
inline constexpr double largest_imbalance = 1e-12;

/// Whether a state equals its mirror images, and if the box is a square, itself with rows and columns
/// exchanged. All are to the last bit, except that 0 equals -0.
bool symmetric(const std::vector<double>& state, apps::Shape box);

}  // namespace hydro
