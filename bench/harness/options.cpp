// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <utility>

namespace typewarp::harness {
namespace {

constexpr const char* common =
    "common options: [--filter REGEX] [--seconds S] [--row-seconds S] [--from INDEX] [--one-gpu | --no-gpu]\n"
    "  [--list]\n";

}  // namespace

void parse(Options& options, Arguments own, const std::vector<std::string>& given, const std::string& usage) {
  Arguments known{
      {"--filter", &options.filter}, {"--seconds", &options.seconds}, {"--row-seconds", &options.row_seconds},
      {"--from", &options.from},     {"--one-gpu", &options.one_gpu}, {"--no-gpu", &options.no_gpu},
      {"--list", &options.list}};
  known.merge(std::move(own));
  parse(known, given, usage + common);
}

}  // namespace typewarp::harness
