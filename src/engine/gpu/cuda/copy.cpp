// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/copy.hpp"
#include "engine/gpu/memory.hpp"
#include "engine/gpu/displaced.hpp"
#include "engine/gpu/cuda/runtime/enqueue.hpp"
#include "engine/gpu/cuda/kernels/kernel_family.hpp"
#include "engine/gpu/cuda/kernels/launch.hpp"
#include "engine/gpu/cuda/layout/operand.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace typewarp::gpu {
namespace {

/// What DMA moves: the numbers were measured on an H200 (docs/internals/measuring.md).
struct DmaPolicy {
  /// Contiguous bytes up to this many are moved by a kernel, which starts sooner than DMA: within the device;
  /// and between devices, or over any link if the move is recorded.
  std::int64_t by_kernel = std::int64_t{16} << 20;
  std::int64_t by_kernel_on_link = std::int64_t{64} << 10;
  /// Rows of at least this many bytes go over a link by DMA; to and from host memory also a few rows of any
  /// length, between devices only so many bytes (64 MiB in rows of 4 KiB: 183 us, by a kernel 194).
  std::int64_t row = 1024;
  std::int64_t few_rows = 128;
  std::int64_t between_devices = std::int64_t{512} << 10;
};
constexpr DmaPolicy dma_policy;

int word_log2(const Operand& destination, const Operand& source) {
  const std::int64_t bits = wide | destination.alignment() | source.alignment();
  return std::countr_zero(static_cast<std::uint64_t>(bits));
}

/// Whether DMA has taken a copy. It refuses memory of several allocations, which structs of parts of several
/// arrays may be, and which kernels of the device do reach, as far as the last bytes of both ends tell.
/// Throws what else fails.
bool taken(cudaError_t status, const char* call, int device, const void* last_written,
           const void* last_read) {
  const auto reached = [&](const void* byte) { return reachable(byte, pointer_info(byte), device); };
  if (status == cudaErrorInvalidValue && reached(last_written) && reached(last_read)) {
    ignore(status);
    return false;
  }
  check(status, call);
  return true;
}

/// By DMA, which takes no multiprocessor and fills a link best. False where it refuses.
bool copy_contiguous(const Operand& destination, const Operand& source, ByteRange range,
                     const LaunchContext& context) {
  std::byte* const to = destination.place(range.begin);
  const std::byte* const from = source.place(range.begin);
  const auto bytes = static_cast<std::size_t>(range.end - range.begin);
  return taken(enqueue_copy(context, to, from, bytes), "cudaMemcpyAsync", context.device, to + bytes - 1,
               from + bytes - 1);
}

/// Rows of equal length and distance.
struct Rows {
  std::byte* first;
  std::int64_t row;    ///< bytes
  std::int64_t pitch;  ///< from one to the next

  bool empty() const noexcept { return row == 0; }
  const std::byte* last_byte(std::int64_t rows) const {
    return displaced(first, (rows - 1) * pitch + row - 1);
  }
};

/// What DMA takes as the rows of a layout; empty where it takes none.
Rows rows_of(const Operand& layout, ByteRange range) {
  constexpr std::int64_t longest_pitch = std::numeric_limits<std::int32_t>::max();
  const Strided& shape = layout.shape().strided;
  if (layout.shape().lookup != Lookup::none || shape.depth != 2) return {};
  const std::int64_t row = shape.levels[0].count;
  const std::int64_t pitch = shape.levels[1].stride;
  if (pitch < row || pitch > longest_pitch || range.begin % row != 0 || range.end % row != 0) return {};
  return {displaced(layout.base(), range.begin / row * pitch), row, pitch};
}

/// Whether DMA fills a link better than a kernel does, or starts sooner.
bool suits_dma(const Operand& destination, const Operand& source, std::int64_t row, std::int64_t bytes) {
  if (destination.on_host() || source.on_host()) {
    return row >= dma_policy.row || bytes <= row * dma_policy.few_rows;
  }
  const bool linked = destination.on_link() || source.on_link();
  return linked && row >= dma_policy.row && bytes >= dma_policy.between_devices;
}

/// Moves long rows over a link by DMA. False where there are none, DMA refuses them, or the move is recorded:
/// launches of DMA in graphs start late.
bool copy_rows(const Operand& destination, const Operand& source, ByteRange range,
               const LaunchContext& context) {
  if (recorded(context) || (!destination.on_link() && !source.on_link())) return false;
  Rows to = destination.contiguous() ? Rows{} : rows_of(destination, range);
  Rows from = source.contiguous() ? Rows{} : rows_of(source, range);
  if (destination.contiguous()) to = {destination.place(range.begin), from.row, from.row};
  if (source.contiguous()) from = {source.place(range.begin), to.row, to.row};
  const std::int64_t bytes = range.end - range.begin;
  if (to.empty() || to.row != from.row || !suits_dma(destination, source, to.row, bytes)) return false;
  const std::int64_t rows = bytes / to.row;
  const cudaError_t status = enqueue_rows(context, to.first, static_cast<std::size_t>(to.pitch), from.first,
                                          static_cast<std::size_t>(from.pitch),
                                          static_cast<std::size_t>(to.row), static_cast<std::size_t>(rows));
  return taken(status, "cudaMemcpy2DAsync", context.device, to.last_byte(rows), from.last_byte(rows));
}

/// In order of preference.
constexpr bool (*families[])(const Move&) = {launch_transposed, launch_pattern, launch_words, launch_layouts};

void launch(const Move& move) {
  for (const auto& launch_family : families) {
    if (launch_family(move)) return;
  }
}

/// Whether contiguous bytes are moved by a kernel.
bool by_kernel(const Operand& destination, const Operand& source, std::int64_t bytes,
               const LaunchContext& context) {
  if (!destination.on_link() && !source.on_link()) return bytes <= dma_policy.by_kernel;
  const bool between_devices = !destination.on_host() && !source.on_host();
  return (recorded(context) || between_devices) && bytes <= dma_policy.by_kernel_on_link;
}

}  // namespace

void copy(const Side& destination_side, const Side& source_side, ByteRange range,
          const LaunchContext& context) {
  if (range.begin == range.end) return;
  Device& home = device(context.device);
  home.prepare();
  const DeviceGuard guard(home.id());
  const Operand destination(destination_side, range, home);
  const Operand source(source_side, range, home);
  if (destination.contiguous() && source.contiguous() &&
      !by_kernel(destination, source, range.end - range.begin, context) &&
      copy_contiguous(destination, source, range, context)) {
    return;
  }
  if (copy_rows(destination, source, range, context)) return;
  const int log2 = word_log2(destination, source);
  for (std::int64_t begin = range.begin; begin < range.end; begin += launch_limit) {
    launch({destination, source, {begin, std::min(range.end, begin + launch_limit)}, log2, context});
  }
}

}  // namespace typewarp::gpu
