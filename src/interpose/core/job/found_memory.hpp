// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/memory_file.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace typewarp::interpose {

/// Hands a file to all processes of this user that come to a socket, as long as this lives.
class Door {
 public:
  /// `socket` listens. Throws std::bad_alloc, std::system_error.
  Door(FileDescriptor socket, int file);
  Door& operator=(Door&&) = delete;
  ~Door();

 private:
  FileDescriptor socket_;
  std::jthread thread_;
};

/// A file of memory that processes of one user on one host find by a name: the first that comes makes it, and
/// hands it to those that come later. The name is that of a socket of Linux's abstract kind: it is in no file
/// system, and goes with the process that has it. Anybody can take it. So each looks whose it is, and where
/// it is not its own user's, all go on to the next of a few.
class FoundMemory {
 public:
  /// Of so many bytes, all 0 at first. Nothing where it cannot be had, which may take some seconds.
  /// Throws std::bad_alloc, std::system_error.
  static std::optional<FoundMemory> of(const std::string& name, std::int64_t bytes);

  int file() const noexcept { return file_.get(); }

 private:
  FoundMemory(FileDescriptor file, std::unique_ptr<Door> door) noexcept
      : file_(std::move(file)), door_(std::move(door)) {}

  FileDescriptor file_;
  std::unique_ptr<Door> door_;  ///< of the first
};

}  // namespace typewarp::interpose
