// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/links.hpp"

namespace typewarp::exchange {

/// That the parts can be where these say. Asks the driver once for each part that they move. Throws
/// InvalidArgument.
void check(const PartDisplacements& displacements, const Schedule& parts, const Links& links);

}  // namespace typewarp::exchange
