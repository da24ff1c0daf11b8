// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

namespace typewarp::cli {

/// `typewarp info`: returns the exit status. Throws UsageError.
std::vector<Option> info_options();
int info(const Words& words);

}  // namespace typewarp::cli
