// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/blocks.hpp"

#include <vector>

namespace typewarp::layout {

/// Parts of any shape, in order. Nested sequences are flattened; parts that differ only in where they lie or
/// how often they repeat become blocks.
Layout make_sequence(std::vector<Layout> parts);

}  // namespace typewarp::layout
