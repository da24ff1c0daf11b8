// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune/tune_messages.hpp"

#include "cli/common/files.hpp"
#include "cli/launch/process.hpp"
#include "transport/tuning/profile_path.hpp"

#include <cstdlib>
#include <filesystem>

namespace typewarp::cli {
namespace {

namespace fs = std::filesystem;

std::string path_variable() {
  const char* const path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

/// The ABI of the MPI that a launcher belongs to.
std::string abi_of(const std::string& launcher) {
  const bool has_folder = launcher.find('/') != std::string::npos;
  const std::string folders = has_folder ? fs::path(launcher).parent_path().string() : path_variable();
  for (const Mpi& mpi : mpis_on(folders, this_system())) {
    const std::string name = base_name(launcher);
    if (has_folder || name == "mpirun" || name == "mpiexec") return mpi.abi;
  }
  throw UsageError("'" + launcher + "': belongs to no MPI that 'typewarp info' shows");
}

}  // namespace

std::string message_tuner(const std::string& abi) {
  if (abi.empty()) return {};
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / ("typewarp_tune_" + abi);
  return is_file(program.string()) ? program.string() : "";
}

std::string messages_line() {
  for (const Mpi& mpi : mpis_on(path_variable(), this_system())) {
    const std::string tuner = message_tuner(mpi.abi);
    const std::string file = transport::profile_path().name;
    if (!tuner.empty() && !file.empty()) {
      return shell_line({mpi.launcher, "-n", "2", tuner, "--output", file});
    }
  }
  return {};
}

int tune_messages(const Words& launcher, const std::string& output, bool dry_run) {
  if (const int status = check_program(launcher.front(), "tune"); status != 0) return status;
  const std::string abi = abi_of(launcher.front());
  const std::string tuner = message_tuner(abi);
  if (tuner.empty()) {
    throw UsageError("--messages: there is no typewarp_tune_" + (abi.empty() ? "<mpi>" : abi) +
                     " beside this program: only a build from source has it");
  }
  const std::string file = output.empty() ? transport::profile_path().name : output;
  Words command = launcher;
  command.push_back(tuner);
  if (!dry_run) {
    if (file.empty()) throw UsageError("--output: must name a file, as no variable says where sessions look");
    command.insert(command.end(), {"--output", file});
  }
  return run_and_wait(command);
}

}  // namespace typewarp::cli
