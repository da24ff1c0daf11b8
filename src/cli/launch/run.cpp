// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/run.hpp"

#include "cli/launch/process.hpp"
#include "cli/launch/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace typewarp::cli {
namespace {

constexpr auto usage = R"(usage: typewarp run [--stats] [--verbose] [--trace FILE] [--print] -- COMMAND...

Runs COMMAND, an unmodified MPI program, with libtypewarp_mpi.so preloaded into its ranks only.
COMMAND begins with a launcher (mpirun, mpiexec, srun, flux run, jsrun, aprun, ...) or is the program itself.

%s
The exit status is that of the command.
)";

/// Variables that make Python packages pass GPU memory to the MPI.
constexpr std::array<std::pair<const char*, const char*>, 1> of_packages{{{"PYLOPS_MPI_CUDA_AWARE", "1"}}};

/// If all calls go to the MPI, as under the doctor, programs must not pass GPU memory to it.
bool all_go_to_the_mpi(const Variables& variables) {
  return std::ranges::any_of(variables, [](const auto& variable) {
    const auto& [name, value] = variable;
    return (name == "TYPEWARP_DISABLE" && value == "1") || (name == "TYPEWARP_DOCTOR" && !value.empty());
  });
}

bool names(const Words& command, const std::string& variable) {
  return std::ranges::any_of(
      command, [&](const std::string& word) { return word.find(variable) != std::string::npos; });
}

/// Reports a timeline that cannot be written before the program runs. TYPEWARP_TRACE is not checked: it may
/// name a folder that only the ranks' hosts have.
void check_trace(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash + 1);
  struct stat there{};
  const bool is_folder = stat(file.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
  if (is_folder) errno = EISDIR;
  if (!is_folder && access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw UsageError("--trace: '" + file + "' cannot be written: " + std::strerror(errno) +
                   " (TYPEWARP_TRACE may name a folder that only the ranks' hosts have)");
}

}  // namespace

std::vector<Option> run_options() {
  return {{"--stats", "", "each rank prints at its end what it called and sent (TYPEWARP_STATS=1)"},
          {"--verbose", "", "prints which MPI was found, what was chosen, and why (TYPEWARP_VERBOSE=1)"},
          {"--trace", "FILE", "each rank writes a timeline (TYPEWARP_TRACE=FILE)"},
          {"--print", "", "prints the command instead of running it"}};
}

Variables variables_for_ranks(const Words& command, const Variables& asked_for) {
  const ProgramNeeds needs = needs_of(command);
  Variables own;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("TYPEWARP_") || equals == std::string::npos) continue;
    const std::string name = text.substr(0, equals);
    if (std::ranges::none_of(asked_for, [&](const auto& variable) { return variable.first == name; }))
      own.emplace_back(name, text.substr(equals + 1));
  }
  own.insert(own.end(), asked_for.begin(), asked_for.end());
  const char* preloaded = std::getenv("LD_PRELOAD");
  Variables variables{{"LD_PRELOAD", joined_preload(joined_preload(library_path(), needs.sanitizers),
                                                    preloaded == nullptr ? "" : preloaded)}};
  if (needs.python && !all_go_to_the_mpi(own)) {
    for (const auto& [name, value] : of_packages) {
      if (std::getenv(name) == nullptr && !names(command, name)) variables.emplace_back(name, value);
    }
  }
  variables.insert(variables.end(), own.begin(), own.end());
  return variables;
}

Words command_behind(const Words& words, const std::string& name, const std::vector<Option>& options,
                     bool& help,
                     const std::function<void(const std::string& option, const std::string& value)>& take) {
  ReadWords read = read_options(words, options, OptionsStand::in_front, take);
  help = read.help;
  if (read.rest.empty() && !help)
    throw UsageError("no command: typewarp " + name + " -- mpirun -n 4 ./program");
  return std::move(read.rest);
}

RunOptions parse_run(const Words& words) {
  RunOptions options;
  options.command = command_behind(words, "run", run_options(), options.help,
                                   [&](const std::string& option, const std::string& value) {
                                     if (option == "--print") options.print = true;
                                     if (option == "--stats")
                                       options.variables.emplace_back("TYPEWARP_STATS", "1");
                                     if (option == "--verbose")
                                       options.variables.emplace_back("TYPEWARP_VERBOSE", "1");
                                     if (option != "--trace") return;
                                     check_trace(value);
                                     options.variables.emplace_back("TYPEWARP_TRACE", value);
                                   });
  return options;
}

int run(const Words& words) {
  const RunOptions options = parse_run(words);
  if (options.help) {
    std::printf(usage, described(run_options()).c_str());
    return 0;
  }
  // Otherwise asking the launcher for its family would fail first.
  if (const int status = check_program(options.command.front()); status != 0) return status;
  const Words command =
      with_variables(options.command, variables_for_ranks(options.command, options.variables), this_system());
  if (!options.print) return become(command);
  std::puts(shell_line(command).c_str());
  return 0;
}

}  // namespace typewarp::cli
