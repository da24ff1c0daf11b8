// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/files.hpp"

#include "cli/common/words.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

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

void write_whole(const std::string& file, const std::string& text, const std::string& option) {
  std::error_code error;
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);  // where that fails, writing fails
  const std::string unfinished = file + "." + std::to_string(getpid());
  bool written = false;
  {
    std::ofstream out(unfinished, std::ios::binary);
    out << text << std::flush;
    written = out.good();
  }
  if (written) fs::rename(unfinished, file, error);
  if (written && !error) return;
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  throw UsageError(option + ": '" + file + "' cannot be written");
}

}  // namespace typewarp::cli
