// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/populate.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace typewarp::transport {
namespace {

// The system itself writes, and where it lacks a page it says so instead of sending a signal.
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

}  // namespace

bool populate(std::byte* first, std::int64_t bytes, Advise* advise) noexcept {
  if (advise(first, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) == 0) return true;
  return errno == EINVAL && write_zeros(first, bytes);  // a system before Linux 5.14 does not know the advice
}

bool populate(std::byte* first, std::int64_t bytes) noexcept { return populate(first, bytes, madvise); }

}  // namespace typewarp::transport
