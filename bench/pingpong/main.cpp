// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include <typewarp/error.hpp>

#include <iostream>

namespace {

using namespace typewarp::pingpong;

/// The number of rows with wrong bytes.
int run(const Options& options) {
  const Peers both = both_ranks();
  const int devices = options.no_gpu ? 0 : use_devices(both, options.one_gpu);
  const std::vector<Case> all = cases();
  std::vector<Item> items = agenda(all, options, {devices > 0, protocols()});
  if (items.empty()) throw typewarp::Error("--filter " + options.filter + ": matches no row");
  std::erase_if(items, [&](const Item& item) { return item.index < options.from; });
  if (both.rank == 0) {
    if (options.list) {
      for (const Item& item : items) std::cout << item.text() << '\n';
    } else {
      const std::int64_t gpus = options.one_gpu || devices == 1 ? 1 : devices > 1 ? 2 : 0;
      std::cout << typewarp::bench::JsonObject().add("mpi", library_version()).add("gpus", gpus).text()
                << '\n'
                << std::flush;
    }
  }
  if (options.list) return 0;
  return Runner(both, options, std::move(items), devices).run();
}

}  // namespace

int main(int argc, char** argv) {
  return typewarp::pingpong::main_of("bench_pingpong", argc, argv,
                                     [](const auto& arguments) { return run(parse(arguments)); });
}
