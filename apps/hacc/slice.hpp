// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"
#include "hacc/block.hpp"
#include "hacc/generate.hpp"

#include <span>
#include <vector>

namespace hacc {

/// The cells in a plane through the middle of the lowest layer of blocks, as a field of `shape` points, rows
/// along x and columns along y: a point has the volume of the cell that it is in (which is that of the
/// nearest particle of its block), from -1 for none to 1, and 0 in a cell that is not complete.
std::vector<float> slice(std::span<const Block> blocks, const Grid& grid, apps::Shape shape);

}  // namespace hacc
