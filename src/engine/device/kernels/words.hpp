// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"

namespace typewarp::gpu {

extern const MethodRow pieces_row, staged_row, deep_words_row, words_row;

/// How a kernel of Method::words, deep_words, staged or pieces goes through a layout.
KernelStrategy strategy_of(Method method);

/// Whether fewer blocks at a time go through a layout faster. `lookup` is the one that the kernel takes.
bool gains_by_reserve(const MoveTraits& move, Method method, Lookup lookup);

}  // namespace typewarp::gpu
