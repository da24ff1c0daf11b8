// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

namespace {

using namespace typewarp::pingpong;
namespace harness = typewarp::harness;

/// The number of rows with wrong bytes.
int run(const Options& options) {
  const harness::Start start = harness::start(options);
  const std::vector<Case> all = cases();
  std::vector<Item> items = harness::asked_for(agenda(all, options, {start.gpus > 0, protocols()}), options);
  if (options.list) {
    harness::list(items, start.peers);
    return 0;
  }
  harness::announce(start);
  return Runner(start, options, std::move(items)).run();
}

}  // namespace

int main(int argc, char** argv) {
  return harness::main_of("bench_pingpong", argc, argv,
                          [](const auto& arguments) { return run(parse(arguments)); });
}
