// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/files.hpp"

#include "cli/common/words.hpp"

#include <unistd.h>

#include <filesystem>
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
  place_ = file_;
  if (fs::exists(place_, error)) place_ = fs::canonical(place_, error);
  if (error) refuse();
  if (!fs::exists(place_) || fs::is_regular_file(place_)) {
    if (fs::exists(place_) && access(place_.c_str(), W_OK) != 0) refuse();
    unfinished_ = place_.string() + "." + std::to_string(getpid());
  }
  out_.open(unfinished_.empty() ? place_ : unfinished_, std::ios::binary);
  if (!out_) refuse();
}

WholeFile::~WholeFile() {
  if (!out_.is_open() || unfinished_.empty()) return;
  std::error_code ignored;
  fs::remove(unfinished_, ignored);
}

void WholeFile::write(const std::string& text) {
  out_ << text << std::flush;
  if (!out_) refuse();
  std::error_code error;
  if (!unfinished_.empty()) fs::rename(unfinished_, place_, error);
  if (error) refuse();
  out_.close();
}

void WholeFile::refuse() const { throw UsageError(option_ + ": '" + file_ + "' cannot be written"); }

}  // namespace typewarp::cli
