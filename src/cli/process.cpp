// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace typewarp::cli {
namespace {

std::string version_of(const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    execlp(program.c_str(), program.c_str(), "--version", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t n = 1; child > 0 && n > 0;) {
    n = read(ends[0], piece.data(), piece.size());
    if (n > 0) text.append(piece.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno == EINTR) n = 1;
  }
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return text;
}

bool is_executable(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

bool is_program(const std::string& word) {
  if (word.empty() || word.starts_with('-')) return false;
  if (word.find('/') != std::string::npos) return is_executable(word);
  const char* variable = std::getenv("PATH");
  std::string folders = variable != nullptr ? variable : "";
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    if (is_executable(folders.substr(start, end - start) + "/" + word)) return true;
    start = end + 1;
  }
  return false;
}

}  // namespace

System this_system() { return {version_of, is_program}; }

std::string library_path() {
  namespace fs = std::filesystem;
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  for (const char* folder : {TYPEWARP_LIBRARY_FOLDER, "lib", "lib64"}) {
    const std::string path = (prefix / folder / "libtypewarp_mpi.so").string();
    if (!fs::exists(path)) continue;
    if (path.find_first_of(" :") != std::string::npos) {
      throw UsageError("'" + path +
                       "': LD_PRELOAD can name no path with a space or a colon: install it elsewhere");
    }
    return path;
  }
  throw UsageError(
      "there is no libtypewarp_mpi.so in " + (prefix / "lib").string() +
      ": it is built where an MPI is found, and must lie there beside the folder of this program");
}

int become(const Words& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  std::fprintf(stderr, "typewarp: %s: %s\n", words.front().c_str(), std::strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

}  // namespace typewarp::cli
