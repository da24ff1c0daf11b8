// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/options.hpp"

#include "common/command_line.hpp"

#include <utility>

namespace stencil2d {
namespace {

constexpr std::int64_t largest_side = std::int64_t{1} << 28;     // bytes of any local field then fit 64 bits
constexpr std::int64_t most_iterations = 1'000'000'000'000'000;  // their percentage then fits 64 bits

void add_options(CLI::App& app, Options& options) {
  apps::add_shapes(app, options.grid, options.size, "points", largest_side);
  apps::add_number(app, "--iterations", options.iterations, 0, most_iterations, "sweeps over the field");
  apps::add_number(app, "--halo", options.halo, 1, largest_side,
                   "width of the halo, and iterations from one exchange to the next");
  apps::add_choice(app, "--type", options.precision,
                   {{"float", Precision::single_precision}, {"double", Precision::double_precision}},
                   "element of the field (default double)");
  apps::add_memory(app, options.memory, "the field is");
  apps::add_choice(
      app, "--exchange", options.exchange,
      {{"typewarp", ExchangeBy::typewarp}, {"hand", ExchangeBy::hand}, {"mpi", ExchangeBy::mpi}},
      "what fills the halos: the library, or for comparison code written by hand with cudaMemcpy2D and the "
      "MPI, or plain MPI calls with derived datatypes (default typewarp)");
  app.add_flag_callback(
      "--by-side", [&] { options.by_side = true; },
      "time copies and messages of each side; needs --exchange hand or mpi");
  app.add_flag_callback(
      "--no-validate", [&] { options.validate = false; }, "do not compare with a serial run on rank 0");
  app.add_flag_callback(
      "--no-table", [&] { options.table = false; }, "do not time pack and unpack against the MPI's own");
  apps::add_picture(app, options.picture, "the final field");
  apps::add_progress(app, options.progress);
}

void check(const Options& options) {
  if (options.halo > options.size.rows || options.halo > options.size.columns) {
    apps::reject("--halo", std::to_string(options.halo),
                 "must not exceed either side of --size = " + std::to_string(options.size.rows) + "," +
                     std::to_string(options.size.columns) + ", since a halo comes from one neighbour");
  }
  if (options.by_side && options.exchange == ExchangeBy::typewarp) {
    apps::reject("--exchange", "typewarp",
                 "must be hand or mpi with --by-side, since the library packs all sides at once");
  }
}

}  // namespace

std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "A nine-point stencil over a field that is divided among ranks, after SHOC's Stencil2D. Typewarp\n"
      "exchanges the halos, in host or GPU memory, over an MPI that need not know about GPUs.",
      "stencil2d");
  Options options;
  add_options(app, options);
  if (std::optional<apps::Leave> leave = apps::parse(app, argc, argv, [&] { check(options); })) {
    return *std::move(leave);
  }
  return options;
}

}  // namespace stencil2d
