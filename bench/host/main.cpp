// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "duel.hpp"
#include "figure4.hpp"

#include <CLI/CLI.hpp>
#include <mpi.h>

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <regex>
#include <stdexcept>

namespace {

using typewarp::bench::NamedWorkload;

std::vector<NamedWorkload> all_cases() {
  std::vector<NamedWorkload> cases = typewarp::bench::overhead_cases();
  for (const auto& more : {typewarp::bench::ddtbench_cases(), typewarp::bench::figure4_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

void print(const nlohmann::json& row, bool json) {
  if (json) {
    std::cout << row.dump() << '\n' << std::flush;
    return;
  }
  std::printf("%-28s %-6s %10lld B  mpi %10.3f us  floor %10.3f us", row["case"].get<std::string>().c_str(),
              row["direction"].get<std::string>().c_str(), row["packed_bytes"].get<long long>(),
              row["mpi_us"].get<double>(), row["floor_us"].get<double>());
  for (const auto& [threads, time] : row["typewarp_us"].items()) {
    const double us = time.get<double>();
    std::printf("  %st %10.3f us (%5.2fx)", threads.c_str(), us, row["mpi_us"].get<double>() / us);
  }
  std::printf("\n");
}

struct Options {
  std::string filter = ".*";
  bool list = false;
  bool json = false;
  bool serve = false;
  int threads = 2;
  typewarp::bench::Effort effort;
};

void run(const Options& options) {
  const std::vector<NamedWorkload> cases = all_cases();
  const auto run_case = [&](const NamedWorkload& which) {
    for (const nlohmann::json& row : duel(which, options.threads, options.effort)) print(row, options.json);
  };
  if (options.serve) {
    for (std::string name; std::getline(std::cin, name);) {
      const auto which = std::ranges::find(cases, name, &NamedWorkload::name);
      if (which == cases.end()) throw std::runtime_error("--serve: no case is named '" + name + "'");
      run_case(*which);
      std::cout << "{}\n" << std::flush;
    }
    return;
  }
  const std::regex filter(options.filter);
  bool matched = false;
  for (const NamedWorkload& which : cases) {
    if (!std::regex_search(which.name, filter)) continue;
    matched = true;
    options.list ? void(std::cout << which.name << '\n') : run_case(which);
  }
  if (!matched) throw std::runtime_error("--filter = " + options.filter + ": matches no case");
}

// Validators of CLI11: what is wrong with the text of an option, empty if nothing is.

std::string filter_problem(const std::string& text) {
  try {
    const std::regex compiled(text);
    return "";
  } catch (const std::regex_error& error) {
    return text + ": not a regular expression: " + error.what();
  }
}

std::string core_problem(const std::string& text) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  std::string usable;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(static_cast<unsigned>(core), &cores)) continue;
    if (text == std::to_string(core)) return "";
    usable += " " + std::to_string(core);
  }
  return text + ": must be one of the cores that this process may use:" + usable;
}

/// Of a decimal number without leading zeros, which CLI11 would read as octal.
auto whole_number(int least, int most) {
  return [least, most](const std::string& text) {
    int value = 0;
    const bool read = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
    const bool valid = read && text == std::to_string(value) && value >= least && value <= most;
    return valid ? ""
                 : text + ": must be a whole number from " + std::to_string(least) + " to " +
                       std::to_string(most);
  };
}

std::string batch_problem(const std::string& text) {
  double us = 0;
  const bool valid = CLI::detail::lexical_cast(text, us) && us >= 1 && us <= 1e6;
  return valid ? "" : text + ": must be from 1 to 1000000 microseconds";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Typewarp's host engine against MPI_Pack and MPI_Unpack of " + typewarp::bench::mpi_name());
  Options options;
  app.add_option("--filter", options.filter, "Only cases whose name matches this regular expression")
      ->check(filter_problem);
  app.add_flag("--list", options.list, "Print the names of the cases");
  app.add_flag("--json", options.json, "Print one JSON object a line");
  app.add_flag("--serve", options.serve, "Read names of cases from stdin, answer each with its rows and {}");
  app.add_option("--threads", options.threads, "Also time so many threads, from 1 MiB packed")
      ->check(whole_number(1, 1024));
  app.add_option("--core", options.effort.core, "Core for calls of one thread")->check(core_problem);
  app.add_option("--batch-us", options.effort.batch_us, "Length of a batch")->check(batch_problem);
  app.add_option("--batches", options.effort.batches, "Batches of each contestant")
      ->check(whole_number(1, 10000));
  CLI11_PARSE(app, argc, argv);

  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    run(options);
  } catch (const std::exception& error) {
    std::cerr << "bench_host: " << error.what() << '\n';
    status = 1;
  }
  MPI_Finalize();
  return status;
}
