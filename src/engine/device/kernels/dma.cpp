// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/dma.hpp"

#include "engine/runtime/displaced.hpp"

#include <limits>

namespace typewarp::gpu {
namespace {

/// What DMA takes as the rows of a layout; empty where it takes none.
Rows rows_of(const Described& layout, ByteRange range) {
  constexpr std::int64_t longest_pitch = std::numeric_limits<std::int32_t>::max();
  const Strided& shape = layout.shape().strided;
  if (layout.shape().lookup != Lookup::none || shape.depth != 2) return {};
  const std::int64_t row = shape.levels[0].count;
  const std::int64_t pitch = shape.levels[1].stride;
  if (pitch < row || pitch > longest_pitch || range.begin % row != 0 || range.end % row != 0) return {};
  return {displaced(layout.base(), range.begin / row * pitch), row, pitch};
}

/// Whether DMA fills a link better than a kernel does, or starts sooner.
bool suits_rows(const Described& destination, const Described& source, std::int64_t row, std::int64_t bytes) {
  if (destination.on_host() || source.on_host()) {
    return row >= dma_policy.row || bytes <= row * dma_policy.few_rows;
  }
  const bool linked = destination.on_link() || source.on_link();
  return linked && row >= dma_policy.row && bytes >= dma_policy.between_devices;
}

}  // namespace

const std::byte* Rows::last_byte(std::int64_t rows) const {
  return displaced(first, (rows - 1) * pitch + row - 1);
}

bool contiguous_by_dma(const Described& destination, const Described& source, std::int64_t bytes,
                       bool recorded) {
  if (!destination.contiguous() || !source.contiguous()) return false;
  if (!destination.on_link() && !source.on_link()) return bytes > dma_policy.by_kernel;
  const bool between_devices = !destination.on_host() && !source.on_host();
  return !(recorded || between_devices) || bytes > dma_policy.by_kernel_on_link;
}

RowCopy row_copy(const Described& destination, const Described& source, ByteRange range) {
  Rows to = destination.contiguous() ? Rows{} : rows_of(destination, range);
  Rows from = source.contiguous() ? Rows{} : rows_of(source, range);
  if (destination.contiguous()) to = {destination.place(range.begin), from.row, from.row};
  if (source.contiguous()) from = {source.place(range.begin), to.row, to.row};
  if (to.empty() || to.row != from.row) return {};
  return {to, from, (range.end - range.begin) / to.row};
}

RowCopy rows_by_dma(const Described& destination, const Described& source, ByteRange range, bool recorded) {
  if (recorded || (!destination.on_link() && !source.on_link())) return {};
  const RowCopy copy = row_copy(destination, source, range);
  if (copy.empty() || !suits_rows(destination, source, copy.to.row, range.end - range.begin)) return {};
  return copy;
}

}  // namespace typewarp::gpu
