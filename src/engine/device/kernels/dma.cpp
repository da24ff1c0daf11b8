// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/dma.hpp"

#include "engine/runtime/displaced.hpp"

#include <limits>

namespace typewarp::gpu {
namespace {

/// Rows of equal length and distance; of no bytes where there are none.
struct Rows {
  std::byte* first = nullptr;
  std::int64_t row = 0;
  std::int64_t pitch = 0;  ///< from one to the next
};

/// What DMA takes as the rows of a layout.
Rows rows_of(const OperandTraits& layout, ByteRange range) {
  constexpr std::int64_t longest_pitch = std::numeric_limits<std::int32_t>::max();
  const Strided& shape = layout.shape().strided;
  if (layout.shape().lookup != Lookup::none || shape.depth != 2) return {};
  const std::int64_t row = shape.levels[0].count;
  const std::int64_t pitch = shape.levels[1].stride;
  if (pitch < row || pitch > longest_pitch || range.begin % row != 0 || range.end % row != 0) return {};
  return {displaced(layout.base(), range.begin / row * pitch), row, pitch};
}

/// A kernel starts sooner than DMA.
bool suits_dma(const Query& query) {
  const MoveTraits& move = query.move;
  if (!move.destination.contiguous() || !move.source.contiguous()) return false;
  if (!move.on_link()) return move.bytes() > dma_policy.by_kernel;
  const bool between_devices = !passes_pcie(move);
  return !(query.recorded || between_devices) || move.bytes() > dma_policy.by_kernel_on_link;
}

bool can_rows(const Query& query) {
  const MoveTraits& move = query.move;
  return !query.recorded && row_copy(move.destination, move.source, move.range).has_value();
}

/// Where DMA fills a link better than a kernel does, or starts sooner: long or few rows over a link. None
/// where the move is recorded: launches of DMA in graphs start late.
bool suits_rows(const Query& query) {
  const MoveTraits& move = query.move;
  if (query.recorded || !move.on_link()) return false;
  const std::optional<RowCopy> rows = row_copy(move.destination, move.source, move.range);
  if (!rows) return false;
  const std::int64_t row = rows->row;
  if (passes_pcie(move)) return row >= dma_policy.row || move.bytes() <= row * dma_policy.few_rows;
  return row >= dma_policy.row && move.bytes() >= dma_policy.between_devices;
}

}  // namespace

constinit const MethodRow dma_row{.method = Method::dma,
                                  .kernel = false,
                                  .rule =
                                      [] {
                                        return "contiguous on both sides: over a link, or more than " +
                                               bytes_text(dma_policy.by_kernel) + " within a device";
                                      },
                                  .needs = "contiguous bytes on both sides",
                                  .can =
                                      [](const Query& query) {
                                        return query.move.destination.contiguous() &&
                                               query.move.source.contiguous();
                                      },
                                  .suits = suits_dma};

constinit const MethodRow dma_rows_row{
    .method = Method::dma_rows,
    .kernel = false,
    .rule =
        [] {
          return "equal rows one stride apart, to or from host memory: of " + bytes_text(dma_policy.row) +
                 " and more, or at most " + std::to_string(dma_policy.few_rows) + " of any length";
        },
    .needs = "equal rows a fixed stride apart, not in a graph",
    .can = can_rows,
    .suits = suits_rows};

std::optional<RowCopy> row_copy(const OperandTraits& destination, const OperandTraits& source,
                                ByteRange range) {
  Rows to = destination.contiguous() ? Rows{} : rows_of(destination, range);
  Rows from = source.contiguous() ? Rows{} : rows_of(source, range);
  if (destination.contiguous()) to = {destination.place(range.begin), from.row, from.row};
  if (source.contiguous()) from = {source.place(range.begin), to.row, to.row};
  if (to.row == 0 || to.row != from.row) return {};
  const std::int64_t rows = (range.end - range.begin) / to.row;
  return RowCopy{{to.first, to.pitch}, {from.first, from.pitch}, to.row, rows};
}

}  // namespace typewarp::gpu
