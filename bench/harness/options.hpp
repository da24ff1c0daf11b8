// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"

/// What the command lines of all benchmarks on two ranks have in common.
namespace typewarp::harness {

struct Options {
  std::string filter;        ///< a regular expression over the text of a row
  double seconds = 60;       ///< for all rows; what then is left is not run
  double row_seconds = 0.3;  ///< what a row is measured for at most
  std::int64_t from = 0;     ///< the first row to run, by its index
  bool one_gpu = false;      ///< both ranks on GPU 0
  bool no_gpu = false;       ///< host memory only, whatever there is
  bool list = false;         ///< print the rows, and run none
};

/// These options, and `own` ones of the benchmark. Throws Error that names the argument, with `usage` where
/// it is unknown.
void parse(Options& options, Arguments own, const std::vector<std::string>& given, const std::string& usage);

}  // namespace typewarp::harness
