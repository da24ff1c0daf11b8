// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::gpu {

/// From a layout to packed bytes, or back.
enum class Direction { pack, unpack };

}  // namespace typewarp::gpu
