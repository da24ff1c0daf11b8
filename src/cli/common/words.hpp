// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::cli {

/// A command, as a program gets it.
using Words = std::vector<std::string>;
/// Environment variables, in the order in which they are to be set.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// An option of a subcommand: for its parser, its help, and shells that complete it.
struct Option {
  std::string name;   ///< "--trace"
  std::string value;  ///< what it takes: "FILE", "N"; empty for a flag
  std::string about;
};

/// Wrong usage: the text says what to do about it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command as a line that a shell reads as the same words.
std::string shell_line(const Words& words);
/// "; did you mean '--count'?", of the name that a misspelt word is nearest to; empty where none is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);
/// An error's text without the calls of C++ that it names, as "typewarp::vector: ".
std::string without_calls(std::string text);
/// "mpirun" of "/opt/bin/mpirun".
std::string base_name(const std::string& path);

}  // namespace typewarp::cli
