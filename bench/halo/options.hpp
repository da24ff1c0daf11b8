// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The command line of bench_halo.
namespace typewarp::halo_bench {

struct Options {
  std::string filter;        ///< a regular expression over "case/memory/method/edge"
  std::int64_t most = 1024;  ///< owned cells along an edge
  double seconds = 60;       ///< for all rows; what then is left is not run
  double row_seconds = 0.3;  ///< what a row is measured for at most
  std::int64_t from = 0;     ///< the first row to run, by its index
  bool one_gpu = false;      ///< both ranks on GPU 0
  bool no_gpu = false;       ///< host memory only, whatever there is
  bool list = false;
};

/// Throws Error that names the argument.
Options parse(const std::vector<std::string>& arguments);

}  // namespace typewarp::halo_bench
