// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/subcommands.hpp"

#include "cli/common/files.hpp"
#include "cli/common/options.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/explain.hpp>

#include <cstdio>

namespace typewarp::cli {
namespace {

constexpr auto usage = R"(usage: typewarp explain [OPTION]... TYPE

Shows how Typewarp handles an MPI datatype: its layout, where its bytes are, which method moves them and why,
the least time that memory and link allow, and what could be improved. Needs neither GPU nor MPI.

%s
TYPE is an expression, or the name of a file that holds one. Constructors and arguments are those of MPI:
  vector(1024, 1, 512, double)
  hvector(count=8, blocklength=1, stride=4Ki, child=contiguous(4, float))
  indexed([1, 2] * 4, range(0, 32, 4), double)
  struct([1, 1], [0, 8], [double, int])
  subarray([64, 64], [8, 8], [0, 0], c, double)
)";

struct ExplainArguments {
  std::string type, picture, machine;
  std::int64_t count = 1;
  std::vector<std::string> hints;
  bool json = false, gpu = false, host = false, measure = false, help = false;
};

ExplainArguments parse(const Words& words) {
  ExplainArguments options;
  const auto take = [&](const std::string& option, const std::string& value) {
    if (option == "--count") options.count = whole_number(option, value, 0);
    if (option == "--machine") options.machine = value;
    if (option == "--hint") options.hints.push_back(value);
    if (option == "--picture") options.picture = value;
    options.gpu = options.gpu || option == "--gpu";
    options.host = options.host || option == "--host";
    options.measure = options.measure || option == "--measure";
    options.json = options.json || option == "--json";
  };
  const ReadWords read = read_options(words, explain_options(), OptionsStand::anywhere, take);
  options.help = read.help;
  if (options.help) return options;
  if (read.rest.empty()) throw UsageError("TYPE is required");
  if (read.rest.size() > 1) throw UsageError("one TYPE is expected, not also '" + read.rest[1] + "'");
  if (options.gpu && options.host) throw UsageError("--gpu excludes --host");
  options.type = read.rest.front();
  return options;
}

/// The value and the rule of an InvalidArgument, without the names of C++.
std::string rule_of(const InvalidArgument& error) {
  const std::string text = error.what(), argument = ": " + error.argument() + " = ";
  const std::size_t place = text.find(argument);
  return place == std::string::npos ? text : text.substr(place + argument.size());
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

std::vector<Option> explain_options() {
  return {{"--count", "N", "items of the datatype (default 1)"},
          {"--machine", "NAME",
           "whose rates give the floors: h200 or h100 (default: this one; measured with --measure)"},
          {"--hint", "KEY=VALUE", "avoid, priority, max_blocks or method; may be repeated"},
          {"--picture", "FILE", "draws where the bytes are into this file (.svg)"},
          {"--gpu", "", "the GPU engine only"},
          {"--host", "", "the host engine only"},
          {"--measure", "", "moves the bytes on this machine with each method, and prints the times"},
          {"--json", "", "prints JSON"}};
}

int explain(const Words& words) {
  const ExplainArguments options = parse(words);
  if (options.help) {
    std::printf(usage, described(explain_options()).c_str());
    return 0;
  }
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
