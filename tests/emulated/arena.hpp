// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace emulated {

/// The memory of a device: a file without a name, which other processes map. Where an allocation ends, and
/// between them, AddressSanitizer sees.
class Arena {
 public:
  static constexpr std::size_t bytes = std::size_t{16} << 30;

  /// Throws std::bad_alloc.
  Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Aligned to 512 bytes. Throws std::bad_alloc.
  std::byte* take(std::size_t wanted);
  void give(std::byte* memory);

  std::byte* base() const { return base_; }
  int file() const { return file_; }
  std::size_t in_use();

 private:
  int file_;
  std::byte* base_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> gaps_;   ///< bytes by offset
  std::map<std::size_t, std::size_t> taken_;  ///< the same
};

}  // namespace emulated
