// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

namespace {

using namespace typewarp::halo_bench;
namespace harness = typewarp::harness;

/// The number of rows with wrong bytes.
int run(const Options& options) {
  const harness::Start start = harness::start(options);
  std::vector<Item> items = harness::asked_for(agenda(options, start.gpus > 0), options);
  if (options.list) {
    harness::list(items, start.peers);
    return 0;
  }
  harness::announce(start);
  // What has no row is said to have none.
  if (start.peers.rank == 0 && start.gpus == 0) {
    harness::print(harness::JsonObject()
                       .add("memory", "device")
                       .add("method", "all on devices")
                       .add("skipped", "no GPU is used"));
  }
  return Runner(start, options, std::move(items)).run();
}

}  // namespace

int main(int argc, char** argv) {
  return harness::main_of("bench_halo", argc, argv,
                          [](const auto& arguments) { return run(parse(arguments)); });
}
