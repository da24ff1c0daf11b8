// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/mpis.hpp"

#include <array>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

namespace typewarp::cli {
namespace {

namespace fs = std::filesystem;

/// The first line of a version's text that has a digit: others are frames and headings.
std::string version_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line.find_first_of("0123456789") != std::string::npos) {
      return line.substr(first);
    }
  }
  return {};
}

/// MPICH's launcher tells its version behind a heading.
std::string version_of(const std::string& text, Family family) {
  const std::size_t version = text.find("Version:");
  if (family != Family::hydra || version == std::string::npos) return version_line(text);
  std::istringstream rest(text.substr(version + 8));
  std::string number;
  rest >> number;
  return "HYDRA " + number;
}

std::string library_beside(const fs::path& launcher) {
  constexpr std::array<std::string_view, 6> names{"libmpi.so.40",    "libmpi.so.12",   "libmpi_abi.so.1",
                                                  "libmpi_abi.so.0", "libmpich.so.12", "libmpi.so"};
  const fs::path prefix = launcher.parent_path().parent_path();
  std::error_code error;
  for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    for (const std::string_view name : names) {
      const fs::path path = prefix / folder / name;
      if (fs::exists(path, error)) return path.string();
    }
  }
  return {};
}

/// By the names that MPIs agreed on: libmpi.so.12 is the ABI of MPICH, Intel MPI and MVAPICH.
std::string abi_of(const std::string& library, Family family) {
  if (library.find("libmpi_abi.so") != std::string::npos) return "abi";
  if (family == Family::open_mpi || library.ends_with(".so.40")) return "openmpi";
  return family == Family::hydra || library.ends_with(".so.12") ? "mpich" : "";
}

}  // namespace

std::vector<Mpi> mpis_on(const std::string& path, const System& system) {
  std::vector<Mpi> found;
  std::set<std::string> seen;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"mpiexec", "mpirun"}) {
      const fs::path launcher = fs::path(folder.empty() ? "." : folder) / name;
      if (!system.is_program(launcher.string())) continue;
      std::error_code error;
      const fs::path real = fs::canonical(launcher, error);
      // mpirun and mpiexec of one folder are the same launcher, also where they are files of their own.
      if (error || !seen.insert(real.string()).second ||
          !seen.insert(launcher.parent_path().string() + "/").second) {
        continue;
      }
      const Family family = family_of(launcher.string(), system);
      std::string library = library_beside(launcher);
      if (library.empty()) library = library_beside(real);
      found.push_back({launcher.string(), version_of(system.version_of(launcher.string()), family), library,
                       abi_of(library, family)});
    }
  }
  return found;
}

}  // namespace typewarp::cli
