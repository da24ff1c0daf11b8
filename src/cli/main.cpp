// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#ifdef TYPEWARP_WHOLE_PROGRAM
#include "cli/doctor/doctor.hpp"
#include "cli/subcommands.hpp"
#endif
#include "cli/launch/run.hpp"

#include <typewarp/version.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Subcommand {
  std::string_view name, summary;
  int (*run)(const typewarp::cli::Words& words);
  std::vector<typewarp::cli::Option> (*options)();
};

#ifdef TYPEWARP_WHOLE_PROGRAM
int complete(const typewarp::cli::Words& words);
std::vector<typewarp::cli::Option> no_options() { return {}; }
#endif

constexpr std::array subcommands{
    Subcommand{"run", "runs an MPI program with Typewarp", typewarp::cli::run, typewarp::cli::run_options},
#ifdef TYPEWARP_WHOLE_PROGRAM
    Subcommand{"doctor", "shows where an MPI program loses time that Typewarp would save",
               typewarp::cli::doctor, typewarp::cli::doctor_options},
    Subcommand{"explain", "shows how a datatype is moved, and how long that takes", typewarp::cli::explain,
               typewarp::cli::explain_options},
    Subcommand{"info", "shows what was found on this machine, and what is missing", typewarp::cli::info,
               typewarp::cli::info_options},
    Subcommand{"completion", "prints a completion script for bash, zsh or fish", complete, no_options},
#endif
};

#ifdef TYPEWARP_WHOLE_PROGRAM
int complete(const typewarp::cli::Words& words) {
  std::vector<typewarp::cli::CompletedSubcommand> all;
  for (const Subcommand& known : subcommands) {
    all.push_back({std::string(known.name), std::string(known.summary), known.options()});
  }
  return typewarp::cli::completion(words, all);
}
#endif

void print_usage(std::FILE* to) {
  std::fputs("usage: typewarp SUBCOMMAND ...\n\n", to);
  for (const Subcommand& known : subcommands) {
    std::fprintf(to, "  %-10s %s\n", known.name.data(), known.summary.data());
  }
  std::fputs("\n'typewarp SUBCOMMAND --help' shows more, 'typewarp --version' the version.\n", to);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int wrong_usage = 2;
  const typewarp::cli::Words words(argv + 1, argv + argc);
  if (words.empty()) {
    print_usage(stderr);
    return wrong_usage;
  }
  if (words.front() == "--help" || words.front() == "-h") {
    print_usage(stdout);
    return 0;
  }
  if (words.front() == "--version") {
    std::puts("typewarp " TYPEWARP_VERSION);
    return 0;
  }
  for (const Subcommand& known : subcommands) {
    if (words.front() != known.name) continue;
    try {
      const int status = known.run({words.begin() + 1, words.end()});
      if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
      std::fprintf(stderr, "typewarp %s: standard output cannot be written\n", known.name.data());
      return 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "typewarp %s: %s\n", known.name.data(),
                   typewarp::cli::without_calls(error.what()).c_str());
      return wrong_usage;
    }
  }
  std::vector<std::string> names;
  for (const Subcommand& known : subcommands) names.emplace_back(known.name);
  const std::string meant = typewarp::cli::suggestion(words.front(), names);
  std::fprintf(stderr, "typewarp: there is no subcommand '%s'%s\n", words.front().c_str(), meant.c_str());
  print_usage(stderr);
  return wrong_usage;
}
