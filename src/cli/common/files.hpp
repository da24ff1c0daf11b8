// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace typewarp::cli {

bool is_file(const std::string& name);
/// All of it. Throws UsageError.
std::string content_of(const std::string& file);

/// An output file named by `option`, replaced as a whole by write(); until then the old file stays. Anything
/// but a regular file, such as /dev/stdout, is written directly. Only links owned by the user or root are
/// followed: anybody else's could lead to a file of the user.
class WholeFile {
 public:
  /// Throws UsageError, which names `option`, if it cannot be written. With an empty name there is no file.
  WholeFile(std::string file, std::string option);
  WholeFile& operator=(WholeFile&&) = delete;
  ~WholeFile();

  explicit operator bool() const noexcept { return !file_.empty(); }
  /// Once. Throws UsageError.
  void write(const std::string& text);

 private:
  [[noreturn]] void refuse() const;
  void close() noexcept;

  std::string file_, option_;
  std::filesystem::path place_;  ///< that a link leads to
  std::string unfinished_;       ///< beside it, of a fresh name; empty where it is no regular file
  int out_ = -1;
};

}  // namespace typewarp::cli
