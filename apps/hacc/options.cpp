// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/options.hpp"

#include "common/command_line.hpp"

#include <utility>

namespace hacc {
namespace {

constexpr std::int64_t most_particles = 1'000'000;  // the bytes of the largest block then fit an int
constexpr std::int64_t most_repeats = 1'000'000;
constexpr std::int64_t largest_seed = 1'000'000'000;

}  // namespace

std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "The block of a Voronoi tessellation that HACC's analysis writes: counts, and arrays of different\n"
      "lengths. Packs it, sends it to the next rank, and writes it to a file and reads it, as one struct of\n"
      "absolute addresses, and by hand for comparison. All bytes are checked.",
      "hacc");
  Options options;
  apps::add_numbers(app, "--particles", options.particles, 1, most_particles,
                    "of a block, on average; with several, as many sets of blocks (default 4096)");
  apps::add_number(app, "--seed", options.seed, 0, largest_seed, "of the blocks");
  apps::add_number(app, "--repeats", options.repeats, 1, most_repeats,
                   "of what is timed among ranks, at most");
  apps::add_choice<std::optional<By>>(
      app, "--by", options.by,
      {{"all", std::nullopt},
       {"members", By::members},
       {"hand", By::hand},
       {"mpi", By::mpi},
       {"typewarp", By::typewarp}},
      "what moves blocks: a copy a member; a loop or kernel written for the struct; "
      "the MPI, by its datatype; the library (default all; of GPU memory all but "
      "mpi, which needs the preload library there)");
  apps::add_memory(app, options.memory, "the blocks are");
  app.add_option("--file", options.file, "write the blocks there and keep them (default: a temporary file)")
      ->type_name("FILE");
  apps::add_picture(app, options.picture,
                    "a slice through the cells, as they were read from the file at the end,");
  if (std::optional<apps::Leave> left = apps::parse(app, argc, argv, [] {})) {
    return *std::move(left);
  }
  return options;
}

}  // namespace hacc
