// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/long_runs.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

/// Bytes of the shortest runs that are long: each may end in two incomplete words. Measured on an H200.
constexpr std::int64_t long_run = 128;
/// Destinations whose runs are shorter would have more windows than 32 bits count.
constexpr std::int64_t shortest_run = wide;
static_assert(shortest_run == 16);  // as the row says

bool in_runs(const OperandTraits& side) {
  return side.shape().lookup == Lookup::none && side.shape().fits(0);
}
bool can_runs(const Query& query) {
  const MoveTraits& move = query.move;
  return in_runs(move.destination) && in_runs(move.source) &&
         move.destination.shape().strided.levels[0].count >= shortest_run;
}
bool has_long_runs(const OperandTraits& side) {
  return in_runs(side) && side.shape().strided.levels[0].count >= long_run;
}
bool suits_runs(const Query& query) {
  const MoveTraits& move = query.move;
  return move.word_log2 < small_words && !move.destination.contiguous() && !move.on_link() &&
         move.bytes() > few_bytes.within_device && has_long_runs(move.destination) &&
         has_long_runs(move.source);
}

}  // namespace

constinit const MethodRow long_runs_row{
    .method = Method::long_runs,
    .rule =
        [] {
          return "into runs of " + bytes_text(long_run) + " and more at odd addresses, over " +
                 bytes_text(few_bytes.within_device) +
                 ", within the device: in aligned words of the destination";
        },
    .needs = "regular layouts, and runs of 16 B and more in the destination",
    .can = can_runs,
    .suits = suits_runs};

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
