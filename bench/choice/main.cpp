// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.hpp"
#include "random_cases.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>
#include <regex>

/// The engine's choice against every method that it did not choose: a line of JSON for each move.
namespace typewarp::bench {
namespace {

bool selected(const ExplainedMove& move, Selection selection) {
  const bool direction = move.direction == "pack" ? selection.pack : selection.unpack;
  return direction && (move.memory == "device" ? selection.device : selection.pinned);
}

void print(const Case& which, const ExplainedMove& move, std::int64_t bytes, const Verdict& verdict) {
  JsonObject times;
  for (const auto& [name, us] : verdict.us) times.add(name, us);
  JsonObject row;
  row.add("case", which.figure + "/" + which.name)
      .add("bytes", bytes)
      .add("memory", move.memory)
      .add("direction", move.direction)
      .add("chosen", std::string_view(verdict.chosen))
      .add("best", verdict.best())
      .add("ratio", verdict.ratio())
      .add("floor_us", move.floor->us)
      .add("us", times);
  std::cout << row.text() << std::endl;
}

}  // namespace

void measure_moving(Bench& bench, const Case& which, const Problem& problem, Selection selection) {
  const Placed placed = place(bench.pool.layout, problem.type, problem.count);
  ExplainOptions options;
  options.count = problem.count;
  options.host = false;
  for (const ExplainedMove& move : explain(placed.plan, options).moves) {
    if (!selected(move, selection)) continue;
    const bool on_device = move.memory == "device";
    std::byte* const packed =
        on_device ? bench.pool.packed.reserve(placed.bytes()) : bench.pool.pinned.reserve(placed.bytes());
    const Transfer transfer{problem, placed, packed, on_device ? MemoryKind::device : MemoryKind::pinned};
    const Direction direction = move.direction == "pack" ? Direction::pack : Direction::unpack;
    print(which, move, placed.bytes(), judge(bench, transfer, direction, move));
  }
}

Case moving(const std::string& figure, const std::string& name, const std::function<Problem()>& make,
            Selection selection) {
  return {figure, name,
          [=](Bench& bench) { measure_moving(bench, {figure, name, nullptr}, make(), selection); }};
}

namespace {

/// In an order that is the same in every run, and of which any first part is like the whole.
std::vector<Case> cases_like(const std::regex& filter) {
  std::vector<Case> result;
  for (const auto& cases : {fig4_cases, fig6_cases, beyond_cases, ddtbench_figure_cases, tempi_cases,
                            yaksa_cases, random_cases}) {
    for (const Case& which : cases()) {
      if (std::regex_search(which.figure + "/" + which.name, filter)) result.push_back(which);
    }
  }
  std::mt19937_64 random{2012};
  for (std::size_t i = result.size(); i > 1; --i) std::swap(result[i - 1], result[random() % i]);
  return result;
}

int run(const std::string& filter, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  Bench bench{{}, {}, {}, Report(std::cout, true), "automatic", false, {}};
  bench.rates = measure_rates(bench.pool, bench.queue);
  JsonObject rates;
  rates.add("rates", bench.rates.json());
  std::cout << rates.text() << std::endl;
  std::int64_t left = 0;
  int failed = 0;
  for (const Case& which : cases_like(std::regex(filter))) {
    if (std::chrono::steady_clock::now() > end) {
      ++left;
      continue;
    }
    try {
      which.run(bench);
    } catch (const Error& error) {
      ++failed;
      JsonObject told;
      told.add("failed", which.figure + "/" + which.name + ": " + error.what());
      std::cout << told.text() << std::endl;
    }
  }
  JsonObject told;
  told.add("left_out", left);
  std::cout << told.text() << std::endl;
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace typewarp::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr
        << "usage: bench_choice REGEX SECONDS\nJudges the engine's choice for the cases whose figure/name "
           "matches: a line of JSON for each move.\n";
    return 2;
  }
  try {
    return typewarp::bench::run(argv[1], std::stod(argv[2]));
  } catch (const std::exception& error) {
    std::cerr << "bench_choice: " << error.what() << '\n';
    return 1;
  }
}
