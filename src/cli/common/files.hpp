// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace typewarp::cli {

bool is_file(const std::string& name);
/// All of it. Throws UsageError.
std::string content_of(const std::string& file);

/// A file that `option` names, to be written as a whole when the work is done that it tells of: until then
/// what was there stays. What is no regular file, such as /dev/stdout, is written as it is. A link is
/// followed if it is the user's own, or root's: another may have put one there that leads to a file of the
/// user's.
class WholeFile {
 public:
  /// Throws UsageError, which names `option`, where it cannot be written. No name: there is none.
  WholeFile(std::string file, std::string option);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
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
