// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/process.hpp"

#include <fcntl.h>
#include <sys/poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace typewarp::cli {
namespace {

/// A launcher that waits for something, such as an allocation, is not waited for longer.
constexpr auto patience = std::chrono::seconds(5);

/// Whether there is something to read, or the end.
bool readable(int file, std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  pollfd waited{file, POLLIN, 0};
  return left.count() > 0 && poll(&waited, 1, static_cast<int>(left.count())) != 0;
}

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
  const auto until = std::chrono::steady_clock::now() + patience;
  for (ssize_t n = 1; child > 0 && n > 0;) {
    if (!readable(ends[0], until)) {
      kill(child, SIGKILL);
      break;
    }
    n = read(ends[0], piece.data(), piece.size());
    if (n > 0) text.append(piece.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno == EINTR) n = 1;
  }
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return text;
}

/// Why a file cannot be run, as an errno; 0 if it can.
int file_error(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

/// The same of a word, on the PATH if it is no path.
int program_error(const std::string& word) {
  if (word.find('/') != std::string::npos) return file_error(word);
  const char* variable = std::getenv("PATH");
  const std::string folders = variable != nullptr ? variable : "/bin:/usr/bin";  // as execvp has it
  for (std::size_t start = 0; start <= folders.size() && !word.empty();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const std::string folder = end == start ? "." : folders.substr(start, end - start);
    if (file_error(folder + "/" + word) == 0) return 0;
    start = end + 1;
  }
  return ENOENT;
}

bool is_program(const std::string& word) { return !word.starts_with('-') && program_error(word) == 0; }

int refuse(const std::string& program, int error) {
  const bool sought = error == ENOENT && program.find('/') == std::string::npos;
  std::fprintf(stderr, "typewarp run: '%s': %s\n", program.c_str(),
               sought ? "there is no such program on the PATH" : std::strerror(error));
  return error == ENOENT ? 127 : 126;
}

}  // namespace

System this_system() { return {version_of, is_program}; }

int check_program(const std::string& word) {
  const int error = program_error(word);
  return error == 0 ? 0 : refuse(word, error);
}

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
  return refuse(words.front(), errno);
}

}  // namespace typewarp::cli
