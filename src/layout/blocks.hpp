// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/repeat.hpp"

#include <span>
#include <vector>

/// The rewrite rules for lists of equal children.
namespace typewarp::layout {

/// Blocks in the order given, with displacements from the same origin as the child's offset; counts may be
/// zero and empty means one each. Adjacent blocks merge, equal ones fold: an even list becomes a repetition,
/// a periodic one a repetition of a shorter list.
Layout make_blocks(Blocks list, std::int64_t offset);

/// Displacements relative to the first.
std::vector<std::int64_t> from_origin(std::span<const std::int64_t> displacements);

}  // namespace typewarp::layout
