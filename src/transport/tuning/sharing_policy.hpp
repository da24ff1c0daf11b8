// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/turns.hpp"

#include <cstddef>
#include <cstdint>

namespace typewarp::transport {

/// For devices that several processes use: decision 041.
struct SharingPolicy {
  /// Messages of at least so many bytes go through host memory: of stencil2d's halos, on four ranks of two
  /// H100 by turns, those of 32 KiB took 14 % less time so, those of 8 KiB 35 % more.
  std::int64_t least_bytes = std::int64_t{32} << 10;
  /// Under the Multi-Process Service messages of fewer bytes do: those of 64 KiB took 18 to 40 % less time,
  /// those of 512 KiB up to 6 % more.
  std::int64_t served_end = std::int64_t{256} << 10;
  /// So many short messages are packed one by one, and more by one kernel: a copy takes some 10 us, a turn
  /// 140.
  std::size_t most_copies = 16;
};
inline constexpr SharingPolicy sharing_policy;

/// Whether copy engines move so many bytes between a device and host memory sooner than its kernels, which
/// wait for those of other processes.
constexpr bool engines_come_first(gpu::Sharing sharing, std::int64_t bytes) {
  switch (sharing) {
    case gpu::Sharing::alone:
      return false;
    case gpu::Sharing::by_turns:
      return true;
    case gpu::Sharing::served:
      return bytes >= sharing_policy.least_bytes && bytes < sharing_policy.served_end;
  }
  return false;
}

}  // namespace typewarp::transport
