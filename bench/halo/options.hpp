// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness/options.hpp"

/// The command line of bench_halo. A row's text is "case/memory/method/edge".
namespace typewarp::halo_bench {

struct Options : harness::Options {
  std::int64_t most = 1024;  ///< owned cells along an edge
  /// That the arrays of both ranks may take in memory of the host, where they are slow to fill and to
  /// compare.
  std::int64_t host_mib = 512;
  /// Whether the preload library carries what the MPI is asked for: those rows are measured, and no others.
  bool preloaded = false;
};

/// Throws Error that names the argument.
Options parse(const std::vector<std::string>& arguments);

}  // namespace typewarp::halo_bench
