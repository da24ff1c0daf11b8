// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/long_runs.hpp"

#include <algorithm>

namespace typewarp::gpu {

RunsMove runs_move(const View& to, const View& from, std::int64_t run, ByteRange range) {
  RunsMove move;
  move.to = to;
  move.from = from;
  move.run = run;
  move.before = range.begin % run;
  move.bytes = range.end - range.begin;
  const std::int64_t runs = (range.end - 1) / run - range.begin / run + 1;
  // Of a run that begins with the last byte of a word; two, since nothing divides by one.
  const std::int64_t windows = std::max<std::int64_t>((std::min(run, move.bytes) + 2 * (wide - 1)) / wide, 2);
  move.windows = plan::Divider<std::uint32_t>(windows);
  move.units = static_cast<std::uint32_t>(runs * windows);
  return move;
}

}  // namespace typewarp::gpu
