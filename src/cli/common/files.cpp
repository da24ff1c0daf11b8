// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/files.hpp"

#include "cli/common/words.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace typewarp::cli {

namespace fs = std::filesystem;

bool is_file(const std::string& name) {
  std::error_code error;
  return fs::is_regular_file(name, error);
}

std::string content_of(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) throw UsageError("'" + file + "': is a folder");
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw UsageError("'" + file + "': cannot be read");
  return text;
}

WholeFile::WholeFile(std::string file, std::string option)
    : file_(std::move(file)), option_(std::move(option)) {
  if (!*this) return;
  std::error_code error;
  struct stat there{};
  const auto is_own = [&] { return there.st_uid == geteuid() || there.st_uid == 0; };
  if (lstat(file_.c_str(), &there) == 0 && S_ISLNK(there.st_mode) && !is_own()) refuse();
  place_ = file_;
  if (fs::exists(place_, error)) place_ = fs::canonical(place_, error);
  if (error) refuse();
  const bool exists = stat(place_.c_str(), &there) == 0;
  // A pipe that another user has put there may wait for ever, or hand the text over.
  if (exists && (S_ISFIFO(there.st_mode) || S_ISSOCK(there.st_mode)) && !is_own()) refuse();
  if (!exists || S_ISREG(there.st_mode)) {
    if (exists && access(place_.c_str(), W_OK) != 0) refuse();
    std::string name = place_.string() + ".XXXXXX";
    out_ = mkostemp(name.data(), O_CLOEXEC);
    if (out_ >= 0) unfinished_ = name;
  } else {
    out_ = open(place_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  }
  if (out_ < 0) refuse();
  const mode_t masked = umask(0);
  umask(masked);
  constexpr mode_t all = 0666;
  constexpr mode_t permissions = 0777;
  if (!unfinished_.empty()) fchmod(out_, exists && is_own() ? there.st_mode & permissions : all & ~masked);
}

WholeFile::~WholeFile() {
  close();
  if (!unfinished_.empty()) unlink(unfinished_.c_str());
}

void WholeFile::close() noexcept {
  if (out_ >= 0) ::close(std::exchange(out_, -1));
}

void WholeFile::write(const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t more = ::write(out_, text.data() + written, text.size() - written);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) refuse();
    written += static_cast<std::size_t>(more);
  }
  close();
  if (unfinished_.empty()) return;
  std::error_code error;
  fs::rename(unfinished_, place_, error);
  if (error) refuse();
  unfinished_.clear();
}

void WholeFile::refuse() const { throw UsageError(option_ + ": '" + file_ + "' cannot be written"); }

}  // namespace typewarp::cli
