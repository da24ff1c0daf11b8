// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <string>
#include <vector>

/// Subcommands that are a file each. They return the exit status, and throw UsageError.
namespace typewarp::cli {

/// `typewarp explain`. Throws what typewarp/expression.hpp and explain.hpp throw, too.
std::vector<Option> explain_options();
int explain(const Words& words);

/// `typewarp info`.
std::vector<Option> info_options();
int info(const Words& words);

/// A subcommand, as shells complete it.
struct CompletedSubcommand {
  std::string name, summary;
  std::vector<Option> options;
};
/// `typewarp completion SHELL`: prints the script by which bash, zsh or fish completes `typewarp`.
int completion(const Words& words, const std::vector<CompletedSubcommand>& subcommands);

}  // namespace typewarp::cli
