// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <string>
#include <vector>

namespace typewarp::cli {

/// A subcommand, as shells complete it.
struct Completed {
  std::string name, summary;
  std::vector<Option> options;
};

/// `typewarp completion SHELL`: prints the script by which bash, zsh or fish completes `typewarp`. Throws
/// UsageError.
int completion(const Words& words, const std::vector<Completed>& subcommands);

}  // namespace typewarp::cli
