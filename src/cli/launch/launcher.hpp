// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"
#include "cli/launch/family.hpp"

namespace typewarp::cli {

/// The command, changed so that its ranks get the variables. LD_PRELOAD goes in front of one that the command
/// itself sets. Throws UsageError if the program cannot be found in the command of an unknown launcher.
Words with_variables(const Words& command, const Variables& variables, const System& system);

}  // namespace typewarp::cli
