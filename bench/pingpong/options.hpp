// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The command line of bench_pingpong.
namespace typewarp::pingpong {

struct Options {
  std::string filter;      ///< a regular expression over "case/memory/method/bytes"
  std::int64_t least = 0;  ///< bytes of data
  std::int64_t most = std::int64_t{256} << 20;
  double seconds = 60;       ///< for all rows; what then is left is not run
  double row_seconds = 0.3;  ///< what a row is measured for at most
  std::int64_t from = 0;     ///< the first row to run, by its index
  bool one_gpu = false;      ///< both ranks on GPU 0
  bool no_gpu = false;       ///< host memory only, whatever there is
  bool gpu_mpi = false;      ///< the MPI can take device memory
  bool list = false;
  std::int64_t time_limit_ms = 0;  ///< of the library's waits; 0: none, as is its default
};

/// Throws Error that names the argument.
Options parse(const std::vector<std::string>& arguments);

}  // namespace typewarp::pingpong
