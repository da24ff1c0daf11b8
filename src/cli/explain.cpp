// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/subcommands.hpp"

#include "cli/common/files.hpp"
#include "cli/common/parsing.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/explain.hpp>
#include <typewarp/expression.hpp>

#include <cstdio>

namespace typewarp::cli {
namespace {

constexpr auto summary =
    "Shows how Typewarp handles an MPI datatype: its layout, where its bytes are, which method moves them "
    "and "
    "why,\n"
    "the least time that memory and link allow, and what could be improved. Needs neither GPU nor MPI.\n";

constexpr auto about_types =
    "TYPE is an expression, or the name of a file that holds one. Constructors and arguments are those of "
    "MPI:\n"
    "  vector(1024, 1, 512, double)\n"
    "  hvector(count=8, blocklength=1, stride=4Ki, child=contiguous(4, float))\n"
    "  indexed([1, 2] * 4, range(0, 32, 4), double)\n"
    "  struct([1, 1], [0, 8], [double, int])\n"
    "  subarray([64, 64], [8, 8], [0, 0], c, double)\n";

struct ExplainArguments {
  std::string type, picture, machine;
  std::int64_t count = 1;
  std::vector<std::string> hints;
  bool json = false, gpu = false, host = false, measure = false, help = false;
};

void declare(CLI::App& app, ExplainArguments& options) {
  app.add_option("TYPE", options.type, "the datatype")->required();
  app.add_option("--count", options.count, "items of the datatype (default 1)")
      ->check(whole_number<std::int64_t>());
  app.add_option("--machine", options.machine,
                 "whose rates give the floors: h200 or h100 (default: this one; measured with --measure)");
  app.add_option("--hint", options.hints, "KEY=VALUE: avoid, priority, max_blocks or method; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--picture", options.picture, "draw where the bytes are into this file (.svg)");
  CLI::Option* const gpu = app.add_flag("--gpu", options.gpu, "the GPU engine only");
  app.add_flag("--host", options.host, "the host engine only")->excludes(gpu);
  app.add_flag("--measure", options.measure,
               "move the bytes on this machine with each method, and print the times");
  app.add_flag("--json", options.json, "print JSON");
}

ExplainArguments parse(const Words& words) {
  ExplainArguments options;
  CLI::App app{summary, "typewarp explain"};
  app.footer(about_types);
  declare(app, options);
  options.help = !parsed(app, words);
  return options;
}

Datatype type_of(const std::string& text) {
  const bool is_path = text.find('/') != std::string::npos;  // as in no expression
  if (!is_path && !is_file(text)) return datatype_of(text);
  try {
    return datatype_of(content_of(text));
  } catch (const ExpressionError& error) {
    throw UsageError("'" + text + "': " + error.what());
  }
}

Hints hints_of(const std::vector<std::string>& texts) {
  Hints hints;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw UsageError("--hint: '" + text + "' must be KEY=VALUE");
    try {
      hints.set(text.substr(0, equals), text.substr(equals + 1));
    } catch (const InvalidArgument& error) {
      throw UsageError("--hint: '" + text + "': " + rule_of(error));
    }
  }
  return hints;
}

void draw(const Plan& plan, const ExplainArguments& options) {
  WholeFile(options.picture, "--picture").write(picture_svg(plan, options.count));
}

/// Times are printed beside floors, which are then of another GPU.
void tell_of_another_gpu(const std::string& machine) {
  const auto here = GpuRates::recorded_here();
  const std::string there = GpuRates::recorded(machine)->gpu;
  if (!gpu_present() || (here && here->gpu == there)) return;
  std::fprintf(stderr, "typewarp explain: --machine: floors are of %s, and times of the GPU here\n",
               there.c_str());
}

}  // namespace

std::vector<Option> explain_options() { return listed(&declare); }

int explain(const Words& words) {
  const ExplainArguments options = parse(words);
  if (options.help) return 0;
  if (!options.picture.empty() && !options.picture.ends_with(".svg")) {
    throw UsageError("--picture: '" + options.picture + "' must end in .svg: no other kind is drawn");
  }
  const Plan plan = commit(type_of(options.type)).with(hints_of(options.hints));
  ExplainOptions wanted;
  wanted.count = options.count;
  wanted.gpu = options.gpu || !options.host;
  wanted.host = options.host || !options.gpu;
  if (!options.machine.empty() && !GpuRates::recorded(options.machine)) {
    throw UsageError("--machine: '" + options.machine + "': must be h200 or h100");
  }
  wanted.machine = options.machine;
  if (wanted.gpu && !options.measure && wanted.machine.empty()) {
    if (const auto here = GpuRates::recorded_here()) wanted.machine = here->gpu;
  }
  wanted.measure = options.measure;
  if (wanted.gpu && options.measure && !wanted.machine.empty()) tell_of_another_gpu(wanted.machine);
  const Explanation explanation = typewarp::explain(plan, wanted);
  if (!options.picture.empty()) draw(plan, options);
  const std::string text = options.json ? explanation.to_json() : explanation.to_string();
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace typewarp::cli
