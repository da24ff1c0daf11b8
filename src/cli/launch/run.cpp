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

Words command_behind(const Words& words, const std::string& name, bool& help,
                     const std::function<bool(const std::string& option, const OptionValue& value)>& take) {
  std::size_t i = 0;
  const OptionValue value = [&](const char* what) {
    if (i + 1 == words.size() || words[i + 1].empty() || words[i + 1].starts_with('-'))
      throw UsageError(words[i] + ": needs " + what);
    return words[++i];
  };
  for (; i < words.size() && words[i].starts_with('-') && words[i] != "--"; ++i) {
    const std::string option = words[i];
    if (option == "--help" || option == "-h") {
      help = true;
    } else if (!take(option, value)) {
      throw UsageError("unknown option '" + option + "' (the command follows '--')");
    }
  }
  if (i < words.size() && words[i] == "--") ++i;
  if (i == words.size() && !help)
    throw UsageError("no command: typewarp " + name + " -- mpirun -n 4 ./program");
  return {words.begin() + static_cast<std::ptrdiff_t>(i), words.end()};
}

RunOptions parse_run(const Words& words) {
  RunOptions options;
  const auto set = [&](const char* variable, const std::string& value) {
    options.variables.emplace_back(variable, value);
    return true;
  };
  options.command =
      command_behind(words, "run", options.help, [&](const std::string& option, const OptionValue& value) {
        if (option == "--stats") return set("TYPEWARP_STATS", "1");
        if (option == "--verbose") return set("TYPEWARP_VERBOSE", "1");
        if (option == "--trace") return set("TYPEWARP_TRACE", value("the name of a file"));
        if (option != "--print") return false;
        options.print = true;
        return true;
      });
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
