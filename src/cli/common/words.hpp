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

/// Wrong usage: the text says what to do about it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command as a line that a shell reads as the same words.
std::string shell_line(const Words& words);
/// "mpirun" of "/opt/bin/mpirun".
std::string base_name(const std::string& path);

}  // namespace typewarp::cli
