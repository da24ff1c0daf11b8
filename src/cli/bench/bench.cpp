// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/bench.hpp"

#include "cli/bench/bench_plot.hpp"
#include "cli/bench/bench_rows.hpp"
#include "cli/common/files.hpp"
#include "cli/common/machine.hpp"
#include "cli/common/parsing.hpp"
#include "engine/device/gpu.hpp"
#include "explain/rates.hpp"

#include <typewarp/version.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <map>

namespace typewarp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto summary =
    "Packs and unpacks some typical layouts on this machine, and compares: in GPU memory with the driver's\n"
    "own copies and with the least time that memory and link allow, in host memory with plain loops of "
    "memcpy.\n";

struct Options {
  std::string plot;
  double seconds = 30;
  int gpu = 0;
  bool json = false, host = false, help = false;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--seconds", options.seconds, "about the most that measuring takes")
      ->check(seconds_between(1, 600))
      ->capture_default_str();
  app.add_option("--gpu", options.gpu, "number of the GPU that is measured")
      ->check(whole_number<int>())
      ->capture_default_str();
  app.add_flag("--host", options.host, "host memory only");
  app.add_option("--plot", options.plot, "draw how many times faster each move is into this file (.svg)");
  app.add_flag("--json", options.json, "print JSON");
}

Options parse(const Words& words) {
  Options options;
  CLI::App app{summary, "typewarp bench"};
  declare(app, options);
  options.help = !parsed(app, words);
  if (!options.plot.empty() && !options.plot.ends_with(".svg")) {
    throw UsageError("--plot: '" + options.plot + "' must end in .svg: no other kind is drawn");
  }
  return options;
}

std::string number(const std::optional<double>& value, int digits) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, *value);
  return text;
}

std::optional<double> over(const std::optional<double>& numerator, double us) {
  if (!numerator) return std::nullopt;
  return *numerator / us;
}

void print_head() {
  std::printf("%-22s %9s %-7s %-7s %-12s %10s %10s %6s %10s %7s\n", "layout", "data", "packed", "", "method",
              "us", "floor, us", "of it", "other, us", "times");
}

void print(const BenchRow& row) {
  std::printf("%-22s %9s %-7s %-7s %-12s %10.2f %10s %6s %10s %7s\n", row.layout.c_str(),
              size_text(row.bytes).c_str(), row.memory.c_str(), row.direction.c_str(), row.method.c_str(),
              row.us, number(row.floor_us, 2).c_str(), number(over(row.floor_us, row.us), 2).c_str(),
              number(row.other_us, 2).c_str(), number(over(row.other_us, row.us), 2).c_str());
  std::fflush(stdout);
}

/// Geometric means of one kind of memory.
struct Means {
  double floor = 0, other = 0;  ///< sums of logarithms
  int floors = 0, others = 0;

  void add(const BenchRow& row) {
    if (row.floor_us) floor += std::log(*row.floor_us / row.us), ++floors;
    if (row.other_us) other += std::log(*row.other_us / row.us), ++others;
  }
  std::optional<double> of_floor() const { return mean(floor, floors); }
  std::optional<double> times() const { return mean(other, others); }

 private:
  static std::optional<double> mean(double sum, int n) {
    if (n == 0) return std::nullopt;
    return std::exp(sum / n);
  }
};

std::map<std::string, Means> means_of(const std::vector<BenchRow>& rows) {
  std::map<std::string, Means> means;
  for (const BenchRow& row : rows) means[row.memory].add(row);
  return means;
}

void print_means(const std::vector<BenchRow>& rows) {
  std::printf("\nGeometric means\n");
  for (const auto& [memory, means] : means_of(rows)) {
    const bool host = memory == "host";
    std::printf("  packed bytes in %s memory: ", memory.c_str());
    if (const auto of_floor = means.of_floor()) std::printf("%.2f of the floor, ", *of_floor);
    std::printf("%s times as fast as %s\n", number(means.times(), 2).c_str(),
                host ? "plain loops of memcpy" : "the driver's own copies, where those can make it");
  }
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

void print_json(const std::vector<BenchRow>& rows, const BenchOptions& options) {
  Json all{{"version", version()}, {"gpu", options.rates.gpu}, {"rates", nullptr}, {"rows", Json::array()}};
  if (options.gpu) {
    all["rates"] = {{"copy_gb_per_s", options.rates.copy_gb_per_s},
                    {"to_host_gb_per_s", options.rates.to_host_gb_per_s},
                    {"to_device_gb_per_s", options.rates.to_device_gb_per_s},
                    {"launch_us", options.rates.launch_us}};
  }
  for (const BenchRow& row : rows) {
    all["rows"].push_back({{"layout", row.layout},
                           {"bytes", row.bytes},
                           {"memory", row.memory},
                           {"direction", row.direction},
                           {"method", row.method},
                           {"us", row.us},
                           {"floor_us", json_of(row.floor_us)},
                           {"other", row.memory == "host" ? "plain loops" : "the driver's copies"},
                           {"other_us", json_of(row.other_us)}});
  }
  std::puts(all.dump(1).c_str());
}

BenchOptions measured_device(const Options& options) {
  BenchOptions result;
  result.gpu = !options.host && gpu::present();
  result.device = options.gpu;
  if (!result.gpu) return result;
  result.rates.gpu = gpu_name(options.gpu);
  if (result.rates.gpu.empty()) {
    throw UsageError("--gpu: " + std::to_string(options.gpu) + ": is no usable GPU of this machine");
  }
  explanation::measure_rates(result.rates, options.gpu);
  return result;
}

}  // namespace

std::vector<Option> bench_options() { return listed(&declare); }

int bench(const Words& words) {
  const Options options = parse(words);
  if (options.help) return 0;
  WholeFile plot(options.plot, "--plot");
  BenchOptions wanted = measured_device(options);
  // Of each layout and size: four moves of a GPU and two of the host, each by two ways.
  const double times =
      static_cast<double>(bench_layouts().size() * std::size(bench_sizes)) * (wanted.gpu ? 12 : 4);
  wanted.each = std::chrono::milliseconds(std::lround(1 + 1000 * options.seconds / times));
  if (!options.json) {
    if (wanted.gpu) std::printf("%s\n", wanted.rates.gpu.c_str());
    print_head();
  }
  std::vector<BenchRow> rows;
  for (const BenchLayout& layout : bench_layouts()) {
    for (const std::int64_t bytes : bench_sizes) {
      for (BenchRow& row : bench_rows(layout, bytes, wanted)) {
        if (!options.json) print(row);
        rows.push_back(std::move(row));
      }
    }
  }
  if (options.json) {
    print_json(rows, wanted);
  } else {
    print_means(rows);
  }
  const std::string where = wanted.gpu ? wanted.rates.gpu : "host memory";
  if (plot) plot.write(bench_plot(rows, "typewarp bench: times as fast, " + where));
  return 0;
}

}  // namespace typewarp::cli
