// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <functional>
#include <string>
#include <vector>

namespace typewarp::cli {

/// Of the words behind `name`: gives options and their values to `take`, until the command begins, and
/// returns that; "--help" is left to the caller. Throws UsageError.
Words command_behind(const Words& words, const std::string& name, const std::vector<Option>& options,
                     bool& help,
                     const std::function<void(const std::string& option, const std::string& value)>& take);
/// What help says of these options, a line each.
std::string described(const std::vector<Option>& options);

/// What `typewarp run` was asked for.
struct RunOptions {
  bool help = false;
  bool print = false;   ///< the command is printed instead of run
  Variables variables;  ///< that the options stand for
  Words command;
};

/// What the ranks of a command are told besides `asked_for`: the library, in front of what the user preloads
/// but behind runtimes of sanitizers, also those that its programs are linked with; the user's own TYPEWARP_*
/// variables, which go to ranks on other hosts too; and what makes Python packages hand over memory of GPUs,
/// where the user says nothing else. Throws UsageError, as library_path().
Variables variables_for_ranks(const Words& command, const Variables& asked_for);
/// Of the words behind "run". Throws UsageError.
RunOptions parse_run(const Words& words);
/// `typewarp run`: returns the exit status, if it returns.
std::vector<Option> run_options();
int run(const Words& words);

}  // namespace typewarp::cli
