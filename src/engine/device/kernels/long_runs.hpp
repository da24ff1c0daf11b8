// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"

#include <cstddef>
#include <cstdint>

/// Into long runs that lie at odd addresses: whole aligned words inside a run, single bytes at its ends.
namespace typewarp::gpu {

/// Words that a thread loads before it stores.
inline constexpr int runs_in_flight = 2;

struct RunsMove {
  View to, from;            ///< in bytes; byte 0 is the first one to be moved
  std::int64_t run = 0;     ///< bytes of one, of the destination
  std::int64_t before = 0;  ///< bytes of the first run that lie before byte 0
  std::int64_t bytes = 0;
  plan::Divider<std::uint32_t> windows;  ///< of a run, at most
  std::uint32_t units = 0;               ///< windows of all runs
};

/// What of one run lies in an aligned word of `wide` bytes.
struct Window {
  std::byte* address;
  std::uint32_t begin;  ///< the first byte's index
  std::uint32_t bytes;  ///< 0 where the run does not reach
};

TYPEWARP_HD inline Window window_of(const RunsMove& move, std::uint32_t unit) {
  const std::uint32_t run = move.windows.quotient(unit);
  const std::int64_t window = unit - run * move.windows.divisor;
  const std::int64_t start = run * move.run - move.before;
  const std::int64_t first = start > 0 ? start : 0;
  const std::int64_t last = start + move.run < move.bytes ? start + move.run : move.bytes;
  std::byte* const address = move.to.at<Lookup::none>(static_cast<std::uint32_t>(first), 0);
  const auto misalignment = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % wide);
  const std::int64_t from = window * wide - misalignment;
  const std::int64_t begin = from > 0 ? from : 0;
  const std::int64_t end = from + wide < last - first ? from + wide : last - first;
  if (begin >= end) return {address, 0, 0};
  return {address + begin, static_cast<std::uint32_t>(first + begin),
          static_cast<std::uint32_t>(end - begin)};
}

/// Bytes `range` of the stream, into runs of `run` bytes. The views begin at range.begin.
RunsMove runs_move(const View& to, const View& from, std::int64_t run, ByteRange range);

extern const MethodRow long_runs_row;
void launch_runs(const Move& move);

}  // namespace typewarp::gpu
