// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/copy.hpp"
#include "engine/gpu/memory.hpp"
#include "engine/gpu/displaced.hpp"
#include "engine/gpu/cuda/runtime/enqueue.hpp"
#include "engine/gpu/cuda/kernels/dma.hpp"
#include "engine/gpu/cuda/kernels/kernel_family.hpp"
#include "engine/gpu/cuda/kernels/transpose.hpp"
#include "engine/gpu/cuda/layout/operand.hpp"

#include <algorithm>

namespace typewarp::gpu {
namespace {

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

bool copy_rows(const RowCopy& copy, const LaunchContext& context) {
  const cudaError_t status =
      enqueue_rows(context, copy.to.first, static_cast<std::size_t>(copy.to.pitch), copy.from.first,
                   static_cast<std::size_t>(copy.from.pitch), static_cast<std::size_t>(copy.to.row),
                   static_cast<std::size_t>(copy.rows));
  return taken(status, "cudaMemcpy2DAsync", context.device, copy.to.last_byte(copy.rows),
               copy.from.last_byte(copy.rows));
}

void launch(const Move& move) {
  const Choice choice = choose(move.traits());
  switch (choice.family) {
    case Family::transposed:
      return launch_transposed(*choice.tiles,
                               {move.direction(), move.layout().base(), move.packed().place(0), move.range},
                               move.context);
    case Family::runs:
      return launch_runs(move);
    case Family::words:
      return launch_words(move, choice.strategy);
    case Family::pattern:
      if (launch_pattern(move)) return;
      break;
    case Family::layouts:
      break;
  }
  launch_layouts(move);
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
  if (contiguous_by_dma(destination, source, range.end - range.begin, recorded(context)) &&
      copy_contiguous(destination, source, range, context)) {
    return;
  }
  const RowCopy rows = rows_by_dma(destination, source, range, recorded(context));
  if (!rows.empty() && copy_rows(rows, context)) return;
  const int log2 = word_log2(destination, source);
  for (std::int64_t begin = range.begin; begin < range.end; begin += launch_limit) {
    launch({{destination, source, {begin, std::min(range.end, begin + launch_limit)}, log2}, context});
  }
}

}  // namespace typewarp::gpu
