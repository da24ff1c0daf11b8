// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <regex>
#include <sstream>

namespace {

using namespace typewarp::bench;

constexpr const char* usage =
    "usage: bench_pack [--figures NAME[,NAME...]] [--filter REGEX] [--from FIGURE/CASE] [--json] [--list] "
    "[--no-baselines]\n"
    "Times pack, unpack and copy on a GPU. Figures: dev, lookup, or all (of the others), or\n"
    "some of fig4 fig6 table2 fig7 beyond ddtbench tempi yaksa commit copy latency schemes batch.\n";

struct Figure {
  std::string name;
  std::vector<Case> (*cases)();
  bool repeats = false;  ///< cases of others
};

constexpr const char* all = "all";  // that repeat no others

const std::vector<Figure> figures{{"dev", dev_cases, true},   {"fig4", fig4_cases},
                                  {"fig6", fig6_cases},       {"table2", table2_cases},
                                  {"fig7", fig7_cases},       {"lookup", lookup_cases, true},
                                  {"beyond", beyond_cases},   {"ddtbench", ddtbench_figure_cases},
                                  {"tempi", tempi_cases},     {"yaksa", yaksa_cases},
                                  {"commit", commit_cases},   {"copy", copy_cases},
                                  {"latency", latency_cases}, {"schemes", scheme_cases},
                                  {"batch", batch_cases}};

struct Options {
  std::string figures = "dev";
  std::string filter;
  std::string from;
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
    } else if (argument == "--from") {
      options.from = value();
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

std::vector<const Figure*> wanted(const std::string& names) {
  std::vector<const Figure*> result;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    const std::size_t before = result.size();
    for (const Figure& figure : figures) {
      if (figure.name == name || (name == all && !figure.repeats)) result.push_back(&figure);
    }
    if (result.size() == before) throw typewarp::Error("--figures = " + name + ": no such figure\n" + usage);
  }
  return result;
}

std::regex compiled(const std::string& filter) {
  try {
    return std::regex(filter);
  } catch (const std::regex_error& error) {
    throw typewarp::Error("--filter = " + filter + ": not a regular expression: " + error.what());
  }
}

std::vector<Case> selected(const Options& options) {
  const std::regex filter = compiled(options.filter);
  std::vector<Case> cases;
  bool begun = options.from.empty();
  for (const Figure* figure : wanted(options.figures)) {
    for (Case& which : figure->cases()) {
      const std::string name = which.figure + "/" + which.name;
      begun = begun || name == options.from;
      if (begun && std::regex_search(name, filter)) cases.push_back(std::move(which));
    }
  }
  if (!begun) throw typewarp::Error("--from = " + options.from + ": no such case");
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
  const char* const method = std::getenv("TYPEWARP_METHOD");
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
      const std::string name = which.figure + "/" + which.name;
      std::cerr << "bench_pack: " << name << ": " << error.what() << '\n';
      bench.report.failed(name, error.what());
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
