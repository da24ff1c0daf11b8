// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"

#include <cstdint>

namespace stencil2d {

/// The field before the first iteration, a function of the global position alone: two rings of waves that
/// interfere, and three sharp-edged discs. Between -2 and 2.
double initial_value(std::int64_t row, std::int64_t column, apps::Shape global);

}  // namespace stencil2d
