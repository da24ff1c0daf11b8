// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

namespace typewarp::explanation {

/// Moves the bytes as each of `moves` says and notes the median of its times: on the host always, on the
/// first GPU where there is one, there by each method that can. Times are from the call until all bytes are
/// in place, after one call that is not counted. Throws InvalidArgument for a layout that spans more than 4
/// GiB, and what the engines throw.
void measure(std::vector<ExplainedMove>& moves, const Plan& plan, std::int64_t count);

}  // namespace typewarp::explanation
