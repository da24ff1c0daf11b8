// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

/// What std::random_device of newer systems calls, and C libraries before 2.36 do not have. Like theirs it ends the
/// process where the system has no random numbers.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
    if (errno != EINTR) std::abort();
  }
  return number;
}
