// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <functional>
#include <string>

namespace typewarp::cli {

/// Gives the word behind an option. Throws UsageError, which says what is needed, where there is none.
using OptionValue = std::function<std::string(const char* what)>;
/// Of the words behind `name`: gives options to `take`, which says whether it knows one, until the command
/// begins, and returns that; "--help" is left to the caller. Throws UsageError.
Words command_behind(const Words& words, const std::string& name, bool& help,
                     const std::function<bool(const std::string& option, const OptionValue& value)>& take);

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
