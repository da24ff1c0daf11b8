// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <cstddef>
#include <string>

namespace typewarp::cli {

/// The options of `typewarp doctor`.
struct DoctorOptions {
  bool help = false;
  std::string json, html;   ///< files; empty: none
  std::size_t top = 10;     ///< sites of the table
  std::size_t explain = 0;  ///< sites whose layouts are explained
  Words command;
};

/// Parses the words behind "doctor". Throws UsageError.
DoctorOptions parse_doctor(const Words& words);
/// `typewarp doctor`: returns the exit status, which is the command's.
std::vector<Option> doctor_options();
int doctor(const Words& words);

}  // namespace typewarp::cli
