// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

namespace typewarp::pingpong {
namespace {

constexpr const char* usage =
    "usage: bench_pingpong_<mpi>, on 2 ranks [--least BYTES] [--most BYTES] [--gpu-mpi] [--time-limit-ms "
    "MS]\n"
    "Times messages there and back, and prints a JSON object a line. bench/pingpong/run.py runs it.\n";

}  // namespace

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  harness::parse(options,
                 {{"--least", &options.least},
                  {"--most", &options.most},
                  {"--gpu-mpi", &options.gpu_mpi},
                  {"--time-limit-ms", &options.time_limit_ms}},
                 arguments, usage);
  return options;
}

}  // namespace typewarp::pingpong
