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

}  // namespace typewarp::gpu
