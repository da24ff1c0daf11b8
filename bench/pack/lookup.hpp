// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transfer.hpp"

namespace typewarp::bench {

/// Finds the address of every word as kernels of the library do, by the lookup that it chooses for the
/// layout, and moves nothing. At most 1 GiB, in memory of the current device.
Traversal library_traversal(const Placed& placed);

}  // namespace typewarp::bench
