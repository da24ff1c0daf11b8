// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/cuda.hpp"

#include <string_view>

namespace typewarp::engine {

/// Moves bytes `range`, which must not be empty, between two sides wherever each lies, with the stream
/// semantics of engine.hpp, for the public `call`. Checks no argument but `stream`, which must not be
/// captured where the move has to wait: InvalidArgument then. Managed memory counts as a device's, because
/// kernels may be using it; pinned memory as the host's unless the other side is a device's.
void move(std::string_view call, const cuda::Side& destination, const cuda::Side& source, ByteRange range,
          Stream stream);

}  // namespace typewarp::engine
