// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

namespace typewarp::cli {

/// `typewarp explain`: returns the exit status. Throws what typewarp/expression.hpp and explain.hpp throw,
/// and UsageError.
std::vector<Option> explain_options();
int explain(const Words& words);

}  // namespace typewarp::cli
