// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/dma.hpp"

#include "engine/runtime/displaced.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace typewarp::gpu {
namespace {

constexpr std::int64_t longest_pitch = std::numeric_limits<std::int32_t>::max();

/// The innermost levels of one side.
struct Grid {
  std::int64_t row, rows, layers;
  std::int64_t pitch, layer;

  bool equals(const Grid& other) const noexcept {
    return row == other.row && rows == other.rows && layers == other.layers;
  }
  /// The same of packed bytes.
  Grid packed() const noexcept { return {row, rows, layers, row, row * rows}; }
};

std::optional<Grid> grid_of(const OperandTraits& side, std::size_t levels) {
  const Strided& shape = side.shape().strided;
  if (side.shape().lookup != Lookup::none || shape.depth < levels) return std::nullopt;
  const std::int64_t row = shape.levels[0].count;
  const Level& next = shape.levels[1];
  if (next.stride < row || next.stride > longest_pitch) return std::nullopt;
  Grid grid{row, next.count, 1, next.stride, next.stride * next.count};
  if (levels < 3) return grid;
  const Level& outer = shape.levels[2];
  if (outer.stride < grid.layer || outer.stride % grid.pitch != 0) return std::nullopt;
  grid.layers = outer.count;
  grid.layer = outer.stride;
  return grid;
}

/// The list while it is made.
class BoxList {
 public:
  BoxList(const OperandTraits& destination, const OperandTraits& source, std::size_t most,
          std::vector<Box>& list)
      : to_(destination), from_(source), most_(most), boxes_(list) {
    boxes_.clear();
  }

  /// Run by run. False if there are too many.
  bool add_runs(std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const MemoryRun to = to_.run_at(begin);
      const MemoryRun from = from_.run_at(begin);
      const std::int64_t run = std::min({to.bytes, from.bytes, end - begin});
      if (!extends(to.first, from.first, run)) {
        if (boxes_.size() == most_) return false;
        boxes_.push_back({{to.first, run, run}, {from.first, run, run}, run});
      }
      begin += run;
    }
    return true;
  }

  /// In as large boxes of grids as there are from each byte on. False if there are too many.
  bool add_grids(const Grid& to, const Grid& from, std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t left = end - begin;
      const std::int64_t before = begin % to.row;
      if (before != 0 || left < to.row) {
        const std::int64_t run = std::min(left, to.row - before);
        if (!add_runs(begin, begin + run)) return false;
        begin += run;
        continue;
      }
      const std::int64_t rows = to.rows - begin / to.row % to.rows;
      Box box{{to_.run_at(begin).first, to.pitch, to.layer},
              {from_.run_at(begin).first, from.pitch, from.layer},
              to.row,
              std::min(rows, left / to.row)};
      if (box.rows == to.rows) {
        const std::int64_t of_layer = to.row * to.rows;
        box.layers = std::min(to.layers - begin / of_layer % to.layers, left / of_layer);
      }
      if (boxes_.size() == most_) return false;
      boxes_.push_back(box);
      begin += box.row * box.rows * box.layers;
    }
    return true;
  }

 private:
  /// Makes the last run longer, where the next one continues it on both sides.
  bool extends(const std::byte* to, const std::byte* from, std::int64_t run) {
    if (boxes_.empty()) return false;
    Box& last = boxes_.back();
    const auto ends_at = [&](const BoxSide& side, const std::byte* place) {
      return displaced(side.first, last.row) == place;
    };
    if (!last.single_row() || !ends_at(last.to, to) || !ends_at(last.from, from)) return false;
    last.row += run;
    last.to.pitch = last.to.layer = last.from.pitch = last.from.layer = last.row;
    return true;
  }

  const OperandTraits& to_;
  const OperandTraits& from_;
  std::size_t most_;
  std::vector<Box>& boxes_;
};

/// In grids of so many levels, if both sides have them.
bool in_grids(const OperandTraits& destination, const OperandTraits& source, ByteRange range,
              std::size_t levels, BoxList& cover) {
  std::optional<Grid> to = grid_of(destination, levels);
  std::optional<Grid> from = grid_of(source, levels);
  if (to && source.contiguous()) from = to->packed();
  if (from && destination.contiguous()) to = from->packed();
  return to && from && to->equals(*from) && cover.add_grids(*to, *from, range.begin, range.end);
}

bool can_boxes(const Query& query) {
  const MoveTraits& move = query.move;
  return query.list != nullptr && !query.recorded &&
         boxes(move.destination, move.source, move.range, box_policy.most, *query.list);
}

}  // namespace

constinit const MethodRow copy_engines_row{
    .method = Method::copy_engines,
    .kernel = false,
    .rule =
        [] {
          return "where hints ask for it: up to " + std::to_string(box_policy.most) +
                 " rows, boxes or runs; within a device by kernels of the driver";
        },
    .needs =
        [] { return "at most " + std::to_string(box_policy.most) + " rows, boxes or runs, not in a graph"; },
    .can = can_boxes,
    .suits = [](const Query&) { return false; }};  // kernels are faster

bool boxes(const OperandTraits& destination, const OperandTraits& source, ByteRange range, std::size_t most,
           std::vector<Box>& list) {
  for (const std::size_t levels : {std::size_t{3}, std::size_t{2}}) {
    BoxList cover(destination, source, most, list);
    if (in_grids(destination, source, range, levels, cover)) return true;
  }
  return BoxList(destination, source, most, list).add_runs(range.begin, range.end);
}

}  // namespace typewarp::gpu
