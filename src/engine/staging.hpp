// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"

#include <optional>

namespace typewarp::engine {

/// A side, and who moves its bytes: the calling thread if there is no device, or a device on a stream.
struct End {
  gpu::Side side;
  std::optional<gpu::LaunchContext> device;
};

/// Moves bytes `range` on the calling thread (and the host engine's).
void move_on_host(const gpu::Side& destination, const gpu::Side& source, ByteRange range);

/// Moves bytes `range` through pinned memory in chunks, two in flight, between sides that nobody can reach
/// both. All bytes are in place on return. Throws what either engine throws; nothing is in flight then.
void move_staged(const End& destination, const End& source, ByteRange range);

}  // namespace typewarp::engine
