// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"

namespace typewarp::gpu {

extern const MethodRow bounded_row, layouts_row, generic_row;
/// By at most `most_blocks` thread blocks, if that is not 0.
void launch_layouts(const Move& move, int most_blocks = 0);

/// Thread blocks of Method::bounded, at most.
int block_limit(const Hints& hints);

}  // namespace typewarp::gpu
