// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/run.hpp"

#include "cli/launch/process.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace typewarp::cli {
namespace {

constexpr auto usage = R"(usage: typewarp run [--stats] [--verbose] [--trace FILE] [--print] -- COMMAND...

Runs an MPI program with Typewarp: COMMAND as it is, with libtypewarp_mpi.so preloaded into its ranks, and into nothing else.
COMMAND begins with a launcher (mpirun, mpiexec, srun, flux run, jsrun, aprun, ...) or is the program itself.

  --stats        each rank prints at its end how often it made each call (TYPEWARP_STATS=1)
  --verbose      says which MPI was found, and what was chosen (TYPEWARP_VERBOSE=1)
  --trace FILE   writes a timeline (TYPEWARP_TRACE=FILE)
  --print        prints the command instead of running it

The exit status is that of the command.
)";

}  // namespace

Variables variables_for_ranks(const Variables& asked_for) {
  const char* own = std::getenv("LD_PRELOAD");
  Variables variables{{"LD_PRELOAD", library_path()}};
  if (own != nullptr && *own != '\0') variables.front().second += std::string(":") + own;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("TYPEWARP_") || equals == std::string::npos) continue;
    bool asked = false;
    for (const auto& variable : asked_for) asked = asked || variable.first == text.substr(0, equals);
    if (!asked) variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  variables.insert(variables.end(), asked_for.begin(), asked_for.end());
  return variables;
}

RunOptions parse_run(const Words& words) {
  RunOptions options;
  std::size_t i = 0;
  for (; i < words.size() && words[i].starts_with('-') && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
    } else if (word == "--print") {
      options.print = true;
    } else if (word == "--stats") {
      options.variables.emplace_back("TYPEWARP_STATS", "1");
    } else if (word == "--verbose") {
      options.variables.emplace_back("TYPEWARP_VERBOSE", "1");
    } else if (word == "--trace") {
      if (i + 1 == words.size() || words[i + 1].empty() || words[i + 1].starts_with('-')) {
        throw UsageError("--trace: needs the name of a file");
      }
      options.variables.emplace_back("TYPEWARP_TRACE", words[++i]);
    } else {
      throw UsageError("unknown option '" + word + "' (the command follows '--')");
    }
  }
  if (i < words.size() && words[i] == "--") ++i;
  options.command.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  if (options.command.empty() && !options.help)
    throw UsageError("no command: typewarp run -- mpirun -n 4 ./program");
  return options;
}

int run(const Words& words) {
  const RunOptions options = parse_run(words);
  if (options.help) {
    std::fputs(usage, stdout);
    return 0;
  }
  // A launcher that cannot be run cannot be asked for its family.
  if (const int status = check_program(options.command.front()); status != 0) return status;
  const Words command =
      with_variables(options.command, variables_for_ranks(options.variables), this_system());
  if (!options.print) return become(command);
  std::puts(shell_line(command).c_str());
  return 0;
}

}  // namespace typewarp::cli
