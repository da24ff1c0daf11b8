// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "arguments.hpp"

namespace typewarp::halo_bench {
namespace {

constexpr const char* usage =
    "usage: bench_halo_<mpi>, on 2 ranks [--filter REGEX] [--most CELLS] [--seconds S] [--row-seconds S]\n"
    "  [--from INDEX] [--one-gpu | --no-gpu] [--list]\n"
    "Times exchanges of halos, and prints a JSON object a line. bench/halo/run.py runs it.\n";

}  // namespace

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  pingpong::parse({{"--filter", &options.filter},
                   {"--most", &options.most},
                   {"--seconds", &options.seconds},
                   {"--row-seconds", &options.row_seconds},
                   {"--from", &options.from},
                   {"--one-gpu", &options.one_gpu},
                   {"--no-gpu", &options.no_gpu},
                   {"--list", &options.list}},
                  arguments, usage);
  return options;
}

}  // namespace typewarp::halo_bench
