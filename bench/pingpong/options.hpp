// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness/options.hpp"

/// The command line of bench_pingpong. A row's text is "case/memory/method/bytes".
namespace typewarp::pingpong {

struct Options : harness::Options {
  std::int64_t least = 0;  ///< bytes of data
  std::int64_t most = std::int64_t{256} << 20;
  bool gpu_mpi = false;            ///< the MPI can take device memory
  std::int64_t time_limit_ms = 0;  ///< of the library's waits; 0: none, as is its default
};

/// Throws Error that names the argument.
Options parse(const std::vector<std::string>& arguments);

}  // namespace typewarp::pingpong
