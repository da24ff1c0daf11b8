// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Measures the numbers by which a Session decides on this machine, and writes them as its profile.

#include "tuning.hpp"

#include <typewarp/error.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

using namespace typewarp::tune;
using typewarp::Error;
using typewarp::Protocol;
using typewarp::harness::Peers;
using typewarp::harness::Place;

struct Options {
  std::string output;
  std::int64_t most = 0;  ///< 0: as long as is worth it
  double seconds = 0.05;
  bool no_gpu = false;
};

/// What is written is whole, or not there. Its folder is made.
void write(const std::string& file, const std::string& text) {
  std::error_code failed;  // then the file cannot be written either
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  const std::string unfinished = file + ".unfinished";
  {
    std::ofstream out(unfinished, std::ios::trunc);
    out << text << std::flush;
    if (!out) throw Error("--output " + file + ": cannot be written");
  }
  std::filesystem::rename(unfinished, file);
}

void run(const Options& options) {
  const Peers peers = typewarp::harness::both_ranks();
  const bool talks = peers.rank == 0;
  const int devices = options.no_gpu ? 0 : typewarp::harness::use_devices(peers, false);
  const bool on_devices = devices > 0;
  // Ranks of two hosts are both the first there, and have a device each.
  const bool own_devices = on_devices && peers.agree(devices > 1 || typewarp::harness::rank_in_host() == 0);
  const std::int64_t worth_it = std::int64_t{on_devices ? 256 : 64} << 20;
  Trials trials(peers, on_devices ? Place::device : Place::host, options.most != 0 ? options.most : worth_it,
                options.seconds);
  Numbers found;
  const auto measure = [&](const char* what, auto tune) {
    if (talks) std::cout << "# " << what << '\n' << std::flush;
    Numbers fresh = tune();
    if (talks) std::cout << text(fresh) << std::flush;
    found.merge(fresh);
  };
  measure("through the host", [&] { return tune_staged(trials); });
  if (on_devices && trials.possible(Protocol::direct)) {
    measure("direct", [&] { return tune_direct(trials, own_devices); });
  }
  for (const Protocol protocol : {Protocol::ucx, Protocol::gpu_aware}) {
    if (!on_devices || found.contains("link.piece_scale") || !trials.possible(protocol)) continue;
    measure("by a link", [&] { return tune_link(trials, protocol); });
  }
  trials.check(found);
  if (talks && !options.output.empty()) {
    write(options.output, "# " + typewarp::harness::library_version() + ", " +
                              (!on_devices   ? "memory of the host"
                               : own_devices ? "two GPUs"
                                             : "one GPU") +
                              "\n" + text(found));
    std::cout << "wrote " << options.output << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Measures, on 2 ranks, the numbers by which messages travel on this machine: a profile for "
      "TYPEWARP_PROFILE.");
  app.add_option("-o,--output", options.output, "the file to write (default: only what is printed)");
  app.add_option("--most", options.most, "bytes of the longest message")
      ->check(CLI::Range(std::int64_t{1024}, std::int64_t{1} << 32));
  app.add_option("--seconds", options.seconds, "for each measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--no-gpu", options.no_gpu, "memory of the host, even if there are GPUs");
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    app.parse(argc, argv);
    run(options);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error);
  } catch (const std::exception& error) {
    typewarp::harness::abort_ranks(std::string("typewarp_tune: ") + error.what());
  }
  MPI_Finalize();
  return status;
}
