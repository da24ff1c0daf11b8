// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace typewarp {

/// The descriptor of an open file, or none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) noexcept : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  explicit operator bool() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }

 private:
  int number_ = -1;
};

/// A memory file without a name, filled with zeros; or none. It is gone with the last process that has it
/// open or mapped, and nobody can shorten it.
FileDescriptor make_memory_file(std::int64_t bytes) noexcept;
/// Whether it is such a file of at least `bytes` bytes that belongs to this process's user.
bool is_memory_file(const FileDescriptor& file, std::int64_t bytes) noexcept;
/// Opens the memory file that another process has open under this number; none if it has none, or the system
/// forbids it.
FileDescriptor open_memory_file(std::int64_t process, std::int64_t number, std::int64_t bytes) noexcept;

/// Where a process has a file open, and which file that is: in another container the numbers may be those of
/// another. Plain numbers, to travel in a message.
struct FilePlace {
  std::int64_t process, number, device, inode;

  bool operator==(const FilePlace&) const = default;
};
/// All 0 for no file.
FilePlace place_of(const FileDescriptor& file) noexcept;
/// Opens the memory file that is there; none if it is another one by now.
FileDescriptor open_memory_file(const FilePlace& place, std::int64_t bytes) noexcept;
/// Whether that process still has that file open there: false once it has ended, true where the system does
/// not tell. Takes a system call.
bool is_open_at(const FilePlace& place) noexcept;

/// madvise(), or what stands in for it in tests.
using Advise = int(void* first, std::size_t bytes, int advice) noexcept;

/// Allocates the pages of mapped memory. Returns false if the system has none left: to write there would then
/// raise a signal. Precondition: whole pages that hold zeros.
bool populate(std::byte* first, std::int64_t bytes, Advise* advise) noexcept;
bool populate(std::byte* first, std::int64_t bytes) noexcept;

}  // namespace typewarp
