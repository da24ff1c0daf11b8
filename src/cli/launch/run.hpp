// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/options.hpp"

#include <functional>
#include <string>
#include <vector>

namespace typewarp::cli {

/// Passes the options in front of the command of a subcommand to `take`, and returns the command. Sets `help`
/// for "--help". Throws UsageError.
Words command_behind(const Words& words, const std::string& name, const std::vector<Option>& options,
                     bool& help,
                     const std::function<void(const std::string& option, const std::string& value)>& take);

/// The options of `typewarp run`.
struct RunOptions {
  bool help = false;
  bool print = false;   ///< the command is printed instead of run
  Variables variables;  ///< that the options stand for
  Words command;
};

/// All variables for the ranks of a command, `asked_for` among them: LD_PRELOAD, with the library in front of
/// the user's but behind runtimes of sanitizers (also those that the programs are linked with); the user's
/// TYPEWARP_* variables, since ranks may run on other hosts; and what makes Python packages pass GPU memory
/// to the MPI, unless the user set it. Throws UsageError, as library_path().
Variables variables_for_ranks(const Words& command, const Variables& asked_for);
/// Parses the words behind "run". Throws UsageError.
RunOptions parse_run(const Words& words);
/// `typewarp run`: returns the exit status, if it returns.
std::vector<Option> run_options();
int run(const Words& words);

}  // namespace typewarp::cli
