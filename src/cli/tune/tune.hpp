// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

namespace typewarp::cli {

/// `typewarp tune`: returns the exit status. Throws UsageError, and what measuring throws.
std::vector<Option> tune_options();
int tune(const Words& words);

}  // namespace typewarp::cli
