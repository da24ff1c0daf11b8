// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"
#include "transfer.hpp"

#include <typewarp/explain.hpp>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <regex>

/// Explains the cases of bench/pack, which were measured on a GPU; needs none. Everything of bench/pack that
/// would touch a device is replaced here.
namespace typewarp::bench {
namespace {

void print(const Case& which, const ExplainedMove& move, std::int64_t bytes) {
  if (move.engine != "gpu") return;
  const MeasuredRatio& traits = *move.traits;
  std::printf(
      "{\"figure\": \"%s\", \"case\": \"%s\", \"packed_bytes\": %lld, \"direction\": \"%s\", "
      "\"memory\": \"%s\", \"method\": \"%s\", \"run\": %.6g, \"step\": %.6g, \"touched\": %.9g, "
      "\"whole\": %s, \"scattered\": %s, \"floor_us\": %.6g, \"predicted_us\": %.6g}\n",
      which.figure.c_str(), which.name.c_str(), static_cast<long long>(bytes), move.direction.c_str(),
      move.memory.c_str(), move.chosen.c_str(), traits.run, traits.step, traits.touched,
      traits.whole ? "true" : "false", traits.scattered ? "true" : "false", move.floor->us,
      move.predicted_us.value_or(0));
}

bool selected(const ExplainedMove& move, Selection selection) {
  const bool direction = move.direction == "pack" ? selection.pack : selection.unpack;
  return direction && (move.memory == "device" ? selection.device : selection.pinned);
}

}  // namespace

void measure_moving(Bench&, const Case& which, const Problem& problem, Selection selection) {
  const Explanation explanation = explain(commit(problem.type), {.count = problem.count, .host = false});
  for (const ExplainedMove& move : explanation.moves) {
    if (selected(move, selection)) print(which, move, explanation.bytes);
  }
}

Case moving(const std::string& figure, const std::string& name, const std::function<Problem()>& make,
            Selection selection) {
  const Case named{figure, name, nullptr};
  return {figure, name, [=](Bench& bench) { measure_moving(bench, named, make(), selection); }};
}

DeviceMemory allocate_device(std::int64_t) { std::abort(); }
PinnedMemory allocate_pinned(std::int64_t) { std::abort(); }
Queue::Queue() = default;

}  // namespace typewarp::bench

int main(int argc, char** argv) {
  using namespace typewarp::bench;
  if (argc != 2) {
    std::cerr
        << "usage: explain_cases REGEX\nExplains the cases whose figure/name matches, a line of JSON each.\n";
    return 2;
  }
  try {
    const std::regex filter(argv[1]);
    Bench bench{{}, {}, {}, Report(std::cout, true), "automatic", false, {}};
    for (const auto& cases : {fig4_cases, fig6_cases, table2_cases, beyond_cases, ddtbench_figure_cases,
                              tempi_cases, yaksa_cases}) {
      for (const Case& which : cases()) {
        if (std::regex_search(which.figure + "/" + which.name, filter)) which.run(bench);
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "explain_cases: " << error.what() << '\n';
    return 1;
  }
}
