// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>

namespace typewarp {
namespace {

// The kernel writes, and reports a missing page as an error instead of a signal.
bool write_zeros(std::byte* first, std::int64_t bytes) noexcept {
  const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (zeros < 0) return false;
  bool lacking = false;
  while (bytes > 0 && !lacking) {
    const ssize_t written = read(zeros, first, static_cast<std::size_t>(bytes));
    if (written > 0) {
      first += written;
      bytes -= written;
    } else {
      lacking = written == 0 || errno != EINTR;
    }
  }
  close(zeros);
  return !lacking;
}

/// The link to a file that a process has open.
std::array<char, 64> link_to(std::int64_t process, std::int64_t number) noexcept {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%" PRId64 "/fd/%" PRId64, process, number);
  return path;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

FileDescriptor make_memory_file(std::int64_t bytes) noexcept {
  rlimit longest{};  // beyond it a process is sent a signal
  if (getrlimit(RLIMIT_FSIZE, &longest) != 0 || longest.rlim_cur < static_cast<rlim_t>(bytes)) return {};
  FileDescriptor file(memfd_create("typewarp", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const bool made =
      file && ftruncate(file.get(), bytes) == 0 && fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK) == 0;
  return made ? std::move(file) : FileDescriptor();
}

bool is_memory_file(const FileDescriptor& file, std::int64_t bytes) noexcept {
  struct stat about{};
  const int seals = fcntl(file.get(), F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(file.get(), &about) == 0 &&
         about.st_uid == geteuid() && about.st_size >= bytes;
}

// Only regular files: to open others may have effects.
FileDescriptor open_memory_file(std::int64_t process, std::int64_t number, std::int64_t bytes) noexcept {
  const auto path = link_to(process, number);
  struct stat about{};
  if (stat(path.data(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
  FileDescriptor file(open(path.data(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return file && is_memory_file(file, bytes) ? std::move(file) : FileDescriptor();
}

FilePlace place_of(const FileDescriptor& file) noexcept {
  struct stat about{};
  if (!file || fstat(file.get(), &about) != 0) return {};
  return {getpid(), file.get(), static_cast<std::int64_t>(about.st_dev),
          static_cast<std::int64_t>(about.st_ino)};
}

FileDescriptor open_memory_file(const FilePlace& place, std::int64_t bytes) noexcept {
  FileDescriptor file = open_memory_file(place.process, place.number, bytes);
  const FilePlace found = place_of(file);
  return found.device == place.device && found.inode == place.inode ? std::move(file) : FileDescriptor();
}

bool is_open_at(const FilePlace& place) noexcept {
  struct stat about{};
  if (stat(link_to(place.process, place.number).data(), &about) != 0)
    return errno != ENOENT && errno != ESRCH;
  return static_cast<std::int64_t>(about.st_dev) == place.device &&
         static_cast<std::int64_t>(about.st_ino) == place.inode;
}

bool populate(std::byte* first, std::int64_t bytes, Advise* advise) noexcept {
  if (advise(first, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) == 0) return true;
  return errno == EINVAL && write_zeros(first, bytes);  // a system before Linux 5.14 does not know the advice
}

bool populate(std::byte* first, std::int64_t bytes) noexcept { return populate(first, bytes, madvise); }

}  // namespace typewarp
