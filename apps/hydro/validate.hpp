// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"

#include <vector>

namespace hydro {

/// By how much the total of any variable has changed, as apps::imbalance() has it.
double imbalance(const std::vector<double>& start, const std::vector<double>& end);

/// Whether a state equals its mirror images, and if the box is a square, itself with rows and columns
/// exchanged. All are to the last bit, except that 0 equals -0.
bool symmetric(const std::vector<double>& state, apps::Shape box);

}  // namespace hydro
