// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include <typewarp/error.hpp>

#include <iostream>

namespace {

using namespace typewarp::halo_bench;
using typewarp::bench::JsonObject;

/// The number of rows with wrong bytes.
int run(const Options& options) {
  const Peers both = typewarp::pingpong::both_ranks();
  const int devices = options.no_gpu ? 0 : typewarp::pingpong::use_devices(both, options.one_gpu);
  std::vector<Item> items = agenda(options, devices > 0);
  if (items.empty()) throw typewarp::Error("--filter " + options.filter + ": matches no row");
  std::erase_if(items, [&](const Item& item) { return item.index < options.from; });
  if (options.list) {
    for (const Item& item : items) {
      if (both.rank == 0) std::cout << item.text() << '\n';
    }
    return 0;
  }
  const int gpus = devices == 0 ? 0 : options.one_gpu || devices == 1 ? 1 : 2;
  if (both.rank == 0) {
    // What has no row is said to have none.
    const JsonObject left_out =
        JsonObject().add("memory", "device").add("method", "all on devices").add("skipped", "no GPU is used");
    const JsonObject first =
        JsonObject().add("mpi", typewarp::pingpong::library_version()).add("gpus", std::int64_t{gpus});
    std::cout << first.text() << '\n';
    if (gpus == 0) std::cout << left_out.text() << '\n';
    std::cout << std::flush;
  }
  return Runner(both, options, std::move(items), gpus).run();
}

}  // namespace

int main(int argc, char** argv) {
  return typewarp::pingpong::main_of("bench_halo", argc, argv,
                                     [](const auto& arguments) { return run(parse(arguments)); });
}
