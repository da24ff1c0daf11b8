// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"
#include "engine/device/layout/operand.hpp"
#include "engine/runtime/launch_context.hpp"

namespace typewarp::gpu {

/// A move as it is launched.
struct Move : MoveOf<Operand> {
  const LaunchContext& context;

  MoveTraits traits() const noexcept { return {destination, source, range, word_log2}; }
};

// Each enqueues, by kernels that a KernelLoader loads, a move that choose() has given to its method, on the
// context's device, which is current. Throws GpuError. That of tiles is in transpose.hpp.

/// False, having done nothing, where items of both sides have too little in common.
bool launch_pattern(const Move& move);
void launch_runs(const Move& move);
/// Of words, deep_words, staged and pieces.
void launch_words(const Move& move, Method method);
/// By at most `most_blocks` thread blocks, if that is not 0.
void launch_layouts(const Move& move, int most_blocks = 0);

}  // namespace typewarp::gpu
