// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <CLI/CLI.hpp>

namespace typewarp::cli {

/// Reads the options of a command. False where help was asked for, which is printed then. Throws UsageError.
inline bool parsed(CLI::App& app, const Words& words) {
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp& asked) {
    app.exit(asked);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return true;
}

}  // namespace typewarp::cli
