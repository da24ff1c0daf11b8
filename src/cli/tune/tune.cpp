// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune/tune.hpp"

#include "cli/common/files.hpp"
#include "cli/common/machine.hpp"
#include "cli/common/parsing.hpp"
#include "cli/tune/tune_messages.hpp"
#include "engine/device/gpu.hpp"
#include "engine/runtime/inventory.hpp"
#include "explain/measure.hpp"
#include "explain/rates.hpp"
#include "explain/tune.hpp"

#include <typewarp/version.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>

namespace typewarp::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto summary =
    "Measures this machine's GPU and link, and writes a profile by which 'typewarp explain' predicts. Tells\n"
    "what that changes.\n"
    "With --messages, and a launcher behind --, it measures messages between two ranks instead.\n";

struct Options {
  std::string output;
  double seconds = 60;
  int gpu = 0;
  bool dry_run = false, messages = false, help = false;
  Words launcher;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("-o,--output", options.output,
                 "the file to write (default: that which 'typewarp info' tells)");
  app.add_option("--seconds", options.seconds, "the most that measuring takes")
      ->check(seconds_between(1, 120))
      ->capture_default_str();
  app.add_option("--gpu", options.gpu, "number of the GPU that is measured")
      ->check(whole_number<int>())
      ->capture_default_str();
  app.add_flag("--dry-run", options.dry_run, "write nothing");
  app.add_flag("--messages", options.messages,
               "run typewarp_tune by the launcher behind --: typewarp tune --messages -- mpirun -n 2");
}

Options parse(Words words) {
  Options options;
  const auto end = std::ranges::find(words, "--");
  if (end != words.end()) options.launcher.assign(end + 1, words.end());
  words.erase(end, words.end());
  CLI::App app{summary, "typewarp tune"};
  declare(app, options);
  options.help = !parsed(app, words);
  if (options.messages && options.launcher.empty()) {
    throw UsageError("--messages: needs a launcher of two ranks: typewarp tune --messages -- mpirun -n 2");
  }
  if (!options.messages && !options.launcher.empty()) {
    throw UsageError("'" + options.launcher.front() + "': only --messages takes a launcher");
  }
  return options;
}

/// The name of the GPU that is to be measured.
std::string measured_gpu(int number) {
  if (!gpu::built()) throw UsageError("no GPU engine is built in: there is nothing to measure");
  if (!gpu::present()) {
    const std::string problem = gpu::inventory().problem;
    throw UsageError("there is no usable GPU to measure" + (problem.empty() ? "" : ": " + problem));
  }
  const std::string name = gpu_name(number);
  if (name.empty())
    throw UsageError("--gpu: " + std::to_string(number) + ": is no usable GPU of this machine");
  return name;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

explanation::Tuned measured(const Options& options, const std::string& gpu) {
  const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
  MachineProfile profile;
  profile.name = "machine";
  profile.gpu = gpu;
  profile.source = "typewarp tune " + std::string(version()) + ", " + today();
  explanation::measure_rates(profile, options.gpu);
  const explanation::MeasureOptions brief{options.gpu,
                                          {.least = 5, .most = 51, .enough = std::chrono::milliseconds(30)},
                                          /*other_methods=*/false,
                                          {}};
  const auto measure = [&](std::vector<ExplainedMove>& moves, const Plan& plan) {
    explanation::measure(moves, plan, 1, brief);
  };
  return explanation::tune(std::move(profile), {measure, [&] { return Clock::now() < end; }});
}

/// What the new profile is compared with: the file that it replaces, if that is a profile; else the one that
/// is taken without it.
Machine before(const std::string& file, const std::string& gpu) {
  try {
    return machine(file, gpu);
  } catch (const std::exception&) {
    return machine("", gpu);
  }
}

void print_row(const explanation::Change& change) {
  std::printf("  %-22s %10.5g %10.5g %-5s %6.2f\n", change.what.c_str(), change.before, change.after,
              change.unit.c_str(), change.ratio());
}

void print_changes(const Machine& old, const explanation::Tuned& tuned) {
  constexpr std::size_t most = 12;
  const explanation::Changes changes = explanation::changes(old.profile, tuned);
  const std::string name = old.file.empty() ? "'" + old.profile.name + "'" : old.file;
  std::printf("\n  %-22s %10s %10s %-5s %6s   (before: %s)\n", "", "before", "now", "", "ratio",
              name.c_str());
  for (const explanation::Change& change : changes.rates) print_row(change);
  std::printf("\nPredictions: %zu of %zu moves had one before", changes.predicted, tuned.moves.size());
  if (changes.predicted > 0) {
    std::printf("; %zu of these change by more than 10 %%, all by a factor of %.2f in the geometric mean",
                changes.predictions.size(), changes.mean_factor);
  }
  std::printf(".\n");
  for (std::size_t i = 0; i < std::min(most, changes.predictions.size()); ++i) {
    const explanation::Change& change = changes.predictions[i];
    std::printf("  %8.1f us -> %8.1f us, %5.2f: %s\n", change.before, change.after, change.ratio(),
                change.what.c_str());
  }
  if (changes.predictions.size() > most) {
    std::printf("  ... and %zu more, which change less\n", changes.predictions.size() - most);
  }
}

/// That of the machine's own profile. Where it cannot be made, the file is refused.
void make_folder(const std::string& file) {
  std::error_code refused;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), refused);
}

}  // namespace

std::vector<Option> tune_options() { return listed(&declare); }

int tune(const Words& words) {
  const Options options = parse(words);
  if (options.help) return 0;
  if (options.messages) return tune_messages(options.launcher, options.output, options.dry_run);
  const std::string gpu = measured_gpu(options.gpu);
  const std::string file = options.output.empty() ? machine_file() : options.output;
  if (file.empty() && !options.dry_run) {
    throw UsageError("--output: must name a file, as neither XDG_CONFIG_HOME nor HOME is set");
  }
  if (!options.dry_run && options.output.empty()) make_folder(file);
  WholeFile profile(options.dry_run ? "" : file, "--output");
  std::printf("measuring %s for up to %g s\n", gpu.c_str(), options.seconds);
  std::fflush(stdout);
  const auto begin = Clock::now();
  const explanation::Tuned tuned = measured(options, gpu);
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::printf("measured %zu moves of %zu layouts in %.1f s", tuned.moves.size(), tuned.layouts, took.count());
  if (tuned.left_out > 0) std::printf("; no time was left for %zu layouts", tuned.left_out);
  std::printf("\n");
  print_changes(before(file, gpu), tuned);
  if (options.dry_run) {
    std::printf("\nwrote nothing, as --dry-run says\n");
  } else {
    profile.write(tuned.profile.to_json());
    std::printf("\nwrote %s\n", file.c_str());
  }
  if (const std::string line = messages_line(); !line.empty()) {
    std::printf("Messages between ranks have a profile of their own: %s\n", line.c_str());
  }
  return 0;
}

}  // namespace typewarp::cli
