// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <string>

namespace typewarp::cli {

/// What the programs of a command need in their environment, as their files tell.
struct ProgramNeeds {
  std::string
      sanitizers;       ///< runtimes that they are linked with, as LD_PRELOAD has them: they must come first
  bool python = false;  ///< whether one is Python, or a script for it
};

/// Of all words that name programs: a launcher may start a program by another one. What cannot be read needs
/// nothing.
ProgramNeeds needs_of(const Words& command);

/// The entries of two values of LD_PRELOAD, each once: runtimes of sanitizers, then those of the first, and
/// of the second.
std::string joined_preload(const std::string& first, const std::string& second);

}  // namespace typewarp::cli
