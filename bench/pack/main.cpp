// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <regex>

namespace {

using namespace typewarp::bench;

constexpr const char* usage =
    "usage: bench_pack [--figures NAME[,NAME...]] [--filter REGEX] [--json] [--list] [--no-baselines]\n"
    "Times pack, unpack and copy on a GPU. Figures: dev.\n";

struct Options {
  std::string figures = "dev";
  std::string filter;
  bool json = false;
  bool list = false;
  bool baselines = true;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size()) throw typewarp::Error(argument + ": needs a value");
      return arguments[i];
    };
    if (argument == "--figures") {
      options.figures = value();
    } else if (argument == "--filter") {
      options.filter = value();
    } else if (argument == "--json") {
      options.json = true;
    } else if (argument == "--list") {
      options.list = true;
    } else if (argument == "--no-baselines") {
      options.baselines = false;
    } else {
      throw typewarp::Error(argument + ": no such option\n" + usage);
    }
  }
  return options;
}

std::vector<Case> selected(const Options& options) {
  const std::regex filter(options.filter);
  std::vector<Case> cases;
  for (Case& which : dev_cases()) {
    if (std::regex_search(which.figure + "/" + which.name, filter)) cases.push_back(std::move(which));
  }
  if (cases.empty()) throw typewarp::Error("--filter = " + options.filter + ": matches no case");
  return cases;
}

/// The number of cases that failed; one that does leaves the others to run.
int run(const Options& options) {
  const std::vector<Case> cases = selected(options);
  if (options.list) {
    for (const Case& which : cases) std::cout << which.figure << '/' << which.name << '\n';
    return 0;
  }
  if (!typewarp::gpu_present()) throw typewarp::Error("no usable GPU");
  const char* const method = std::getenv("TYPEWARP_CUDA_METHOD");
  Bench bench{{},
              {},
              {},
              Report(std::cout, options.json),
              method == nullptr ? "automatic" : method,
              options.baselines,
              {}};
  bench.rates = measure_rates(bench.pool, bench.queue);
  bench.report.header(bench.rates.json());
  int failed = 0;
  for (const Case& which : cases) {
    try {
      which.run(bench);
    } catch (const std::exception& error) {
      std::cerr << "bench_pack: " << which.figure << '/' << which.name << ": " << error.what() << std::endl;
      ++failed;
    }
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse({argv + 1, argv + argc})) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "bench_pack: " << error.what() << '\n';
    return 1;
  }
}
