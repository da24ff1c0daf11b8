// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "arguments.hpp"

namespace typewarp::pingpong {
namespace {

constexpr const char* usage =
    "usage: bench_pingpong_<mpi>, on 2 ranks [--filter REGEX] [--least BYTES] [--most BYTES] [--seconds S]\n"
    "  [--row-seconds S] [--from INDEX] [--one-gpu | --no-gpu] [--gpu-mpi] [--time-limit-ms MS] [--list]\n"
    "Times messages there and back, and prints a JSON object a line. bench/pingpong/run.py runs it.\n";

}  // namespace

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  parse({{"--filter", &options.filter},
         {"--least", &options.least},
         {"--most", &options.most},
         {"--seconds", &options.seconds},
         {"--row-seconds", &options.row_seconds},
         {"--from", &options.from},
         {"--one-gpu", &options.one_gpu},
         {"--no-gpu", &options.no_gpu},
         {"--gpu-mpi", &options.gpu_mpi},
         {"--list", &options.list},
         {"--time-limit-ms", &options.time_limit_ms}},
        arguments, usage);
  return options;
}

}  // namespace typewarp::pingpong
