// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

namespace typewarp::halo_bench {
namespace {

constexpr const char* usage =
    "usage: bench_halo_<mpi>, on 2 ranks [--most CELLS] [--host-mib MIB] [--preloaded]\n"
    "Times exchanges of halos, and prints a JSON object a line. bench/halo/run.py runs it.\n";

}  // namespace

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  harness::parse(
      options,
      {{"--most", &options.most}, {"--host-mib", &options.host_mib}, {"--preloaded", &options.preloaded}},
      arguments, usage);
  return options;
}

}  // namespace typewarp::halo_bench
