// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/process.hpp"

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
#include <stdexcept>
#include <vector>

namespace typewarp::cli {
namespace {

/// A launcher that waits for something, such as an allocation, is not waited for longer.
constexpr std::chrono::seconds patience{5};

/// Whether there is something to read, or the end.
bool readable(int file, std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  pollfd waited{file, POLLIN, 0};
  return left.count() > 0 && poll(&waited, 1, static_cast<int>(left.count())) != 0;
}

std::string version_of(const std::string& program) {
  return output_of({program, "--version"}, Complaints::kept, patience);
}

/// For exec.
std::vector<char*> pointers(const Words& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

int wait_for(pid_t child) {
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

/// Why a file cannot be run, as an errno; 0 if it can.
int file_error(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

int program_error(const std::string& word) {
  if (word.find('/') != std::string::npos) return file_error(word);
  return path_of_program(word).empty() ? ENOENT : 0;
}

bool is_program(const std::string& word) { return !word.starts_with('-') && program_error(word) == 0; }

int refuse(const std::string& program, int error, const char* subcommand) {
  const bool sought = error == ENOENT && program.find('/') == std::string::npos;
  std::fprintf(stderr, "typewarp %s: '%s': %s\n", subcommand, program.c_str(),
               sought ? "there is no such program on the PATH" : std::strerror(error));
  return error == ENOENT ? 127 : 126;
}

}  // namespace

std::string path_of_program(const std::string& word) {
  if (word.find('/') != std::string::npos) return file_error(word) == 0 ? word : "";
  const char* variable = std::getenv("PATH");
  const std::string folders = variable != nullptr ? variable : "/bin:/usr/bin";  // as execvp has it
  for (std::size_t start = 0; start <= folders.size() && !word.empty();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const std::string path = (end == start ? "." : folders.substr(start, end - start)) + "/" + word;
    if (file_error(path) == 0) return path;
    start = end + 1;
  }
  return {};
}

System this_system() { return {version_of, is_program}; }

std::string output_of(const Words& words, Complaints complaints, std::chrono::seconds limit) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(complaints == Complaints::kept ? ends[1] : nothing, STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(words.front().c_str(), pointers(words).data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> piece{};
  const auto until = std::chrono::steady_clock::now() + limit;
  for (ssize_t n = 1; child > 0 && n > 0;) {
    if (limit.count() > 0 && !readable(ends[0], until)) {
      kill(child, SIGKILL);
      break;
    }
    n = read(ends[0], piece.data(), piece.size());
    if (n > 0) text.append(piece.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno == EINTR) n = 1;
  }
  close(ends[0]);
  wait_for(child);
  return text;
}

int check_program(const std::string& word, const char* subcommand) {
  const int error = program_error(word);
  return error == 0 ? 0 : refuse(word, error, subcommand);
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
      ": it is built if an MPI is found, and belongs in that folder, beside the one of this program");
}

int become(const Words& words) {
  execvp(words.front().c_str(), pointers(words).data());
  return refuse(words.front(), errno, "run");
}

// A terminal sends its signals to the command as well, which decides what becomes of them.
int run_and_wait(const Words& words) {
  static pid_t child = -1;
  const auto previous = std::signal(SIGINT, SIG_IGN);
  const auto quitting = std::signal(SIGQUIT, SIG_IGN);
  constexpr std::array handed_on{SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  sigset_t early, mask;  // signals that arrive before the child exists are held until they can be passed on
  sigemptyset(&early);
  for (const int number : handed_on) sigaddset(&early, number);
  sigprocmask(SIG_BLOCK, &early, &mask);
  child = fork();
  if (child == 0) {
    std::signal(SIGINT, previous);
    std::signal(SIGQUIT, quitting);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execvp(words.front().c_str(), pointers(words).data());
    _exit(refuse(words.front(), errno, "doctor"));
  }
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  std::array<void (*)(int), handed_on.size()> before{};
  for (std::size_t i = 0; i < handed_on.size(); ++i)
    before.at(i) = std::signal(handed_on.at(i), [](int number) { kill(child, number); });
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int status = wait_for(child);
  for (std::size_t i = 0; i < handed_on.size(); ++i) std::signal(handed_on.at(i), before.at(i));
  std::signal(SIGINT, previous);
  std::signal(SIGQUIT, quitting);
  constexpr int killed = 128;  // as shells say it
  return WIFEXITED(status) ? WEXITSTATUS(status) : killed + WTERMSIG(status);
}

}  // namespace typewarp::cli
