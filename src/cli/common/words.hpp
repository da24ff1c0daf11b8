// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::cli {

/// A command as a list of arguments.
using Words = std::vector<std::string>;
/// Environment variables, in the order to set them.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// An option of a subcommand, for its parser, its help and shell completion.
struct Option {
  std::string name;   ///< "--trace"
  std::string value;  ///< what it takes: "FILE", "N"; empty for a flag
  std::string about;
};

/// Wrong usage: the text says what to do about it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command as a line that a shell splits into the same words.
std::string shell_line(const Words& words);
/// "; did you mean '--count'?", with the name nearest to a misspelt word; empty if none is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);
/// An error's text without names of C++ functions, such as "typewarp::vector: ".
std::string without_calls(std::string text);
/// "mpirun" of "/opt/bin/mpirun".
std::string base_name(const std::string& path);

}  // namespace typewarp::cli
