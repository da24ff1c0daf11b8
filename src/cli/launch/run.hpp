// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

namespace typewarp::cli {

/// What `typewarp run` was asked for.
struct RunOptions {
  bool help = false;
  bool print = false;   ///< the command is printed instead of run
  Variables variables;  ///< that the options stand for
  Words command;
};

/// What ranks are told besides `asked_for`: the library, ours in front of what the user preloads, and the
/// user's own TYPEWARP_* variables, which go to ranks on other hosts too. Throws UsageError, as
/// library_path().
Variables variables_for_ranks(const Variables& asked_for);
/// Of the words behind "run". Throws UsageError.
RunOptions parse_run(const Words& words);
/// `typewarp run`: returns the exit status, if it returns.
int run(const Words& words);

}  // namespace typewarp::cli
