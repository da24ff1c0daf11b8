// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/displaced.hpp"
#include "engine/cuda/enqueue.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/operand.hpp"
#include "engine/cuda/transpose.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace typewarp::cuda {
namespace {

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

/// A move between a layout and packed bytes.
struct Passage {
  Direction direction;
  const Operand& layout;
  const Operand& packed;
  ByteRange range;
  int word_log2;
  const LaunchContext& context;

  std::int64_t bytes() const noexcept { return range.end - range.begin; }
};

bool few(const Passage& move) {
  const bool link = move.packed.on_link() || move.layout.on_link();
  return move.bytes() <= (link ? launch_policy.few_bytes_on_link : launch_policy.few_bytes);
}

/// How to go through a layout in words of 1 or 2 bytes. Single words from and to packed bytes on a link waste
/// it, unless what takes longer is to find the others.
KernelStrategy strategy_of_small(const Passage& move) {
  const auto word = static_cast<double>(1 << move.word_log2);
  if (few(move)) return KernelStrategy::words;
  if (move.layout.run() >= launch_policy.words_of_a_piece * word) return KernelStrategy::pieces;
  const bool packs = move.direction == Direction::pack;
  const bool single =
      packs ? move.layout.far() && !move.packed.on_link() : move.layout.sparse() || !move.packed.on_link();
  return single ? KernelStrategy::words : KernelStrategy::staged;
}

KernelStrategy strategy_of(const Passage& move) {
  if (move.word_log2 < staged_words) return strategy_of_small(move);
  const Lookup lookup = move.layout.shape().lookup;
  const bool regular = lookup == Lookup::none || lookup == Lookup::list;
  const bool dense = move.direction == Direction::pack && move.layout.dense() && (1 << move.word_log2) < wide;
  return !regular || dense ? KernelStrategy::deep_words : KernelStrategy::words;
}

/// Whether fewer blocks at a time go through a layout faster.
bool gains_by_reserve(const Passage& move, KernelStrategy strategy, Lookup lookup) {
  const bool small_stores = move.direction == Direction::unpack && move.word_log2 < staged_words;
  return strategy == KernelStrategy::words && lookup == Lookup::none && !small_stores &&
         move.bytes() >= launch_policy.far_size && move.layout.far();
}

/// Bytes of shared memory of each block, for nothing but to have fewer at a time. Irregular layouts are not
/// paced: each word waits for several accesses, so that fewer threads may not keep up with the link.
std::size_t reserved(const Passage& move, KernelStrategy strategy, Lookup lookup, const Device& device) {
  if (gains_by_reserve(move, strategy, lookup)) return launch_policy.far_reserve;
  const bool by_words = strategy == KernelStrategy::words || strategy == KernelStrategy::deep_words;
  const bool regular = lookup == Lookup::none || lookup == Lookup::list;
  if (move.context.occupancy == OccupancyLimit::none || !by_words || !regular) return 0;
  const int depth = strategy == KernelStrategy::deep_words ? words_in_flight(move.word_log2) : 1;
  const int of_block = (launch_policy.threads * depth) << move.word_log2;
  return device.reservation(std::max(1, launch_policy.paced_bytes / of_block), launch_policy.threads);
}

/// A span of packed bytes whose units lie at multiples of their size in memory.
Span packed_span(const Operand& packed, ByteRange range, int word_log2, KernelStrategy strategy) {
  const int unit = unit_bytes(strategy, word_log2);
  const auto base = reinterpret_cast<std::uintptr_t>(packed.place(0));
  const auto phase = static_cast<std::int64_t>(-base % static_cast<std::uintptr_t>(unit));
  return {range, 1 << word_log2, unit, phase};
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
    return row >= launch_policy.dma_row || bytes <= row * launch_policy.dma_rows;
  }
  const bool linked = destination.on_link() || source.on_link();
  return linked && row >= launch_policy.dma_row && bytes >= launch_policy.dma_between_devices;
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

/// Moves through tiles where the layout is transposed. False where it is not, or has no room for tiles.
bool copy_transposed(const Passage& move) {
  const Shape& shape = move.layout.shape();
  if (shape.lookup != Lookup::none) return false;
  const auto tiled = transposition(shape.strided, 1 << move.word_log2, move.bytes());
  if (!tiled) return false;
  launch_transposed(*tiled, {move.direction, move.layout.base(), move.packed.place(0), move.range},
                    move.context);
  return true;
}

/// Whether whole items had better not go through shared memory: few of them, or over a link, which wider
/// accesses fill better.
bool few_or_linked(const Operand& a, const Operand& b, std::int64_t bytes) {
  return bytes <= launch_policy.few_bytes || a.on_link() || b.on_link();
}

/// Whether the items are words that are moved faster one by one.
bool words_alone(const Passage& move, const Pattern& pattern) {
  if (move.word_log2 == 0 || pattern.size != 1 << move.word_log2) return false;
  return move.direction == Direction::pack || std::abs(pattern.stride) > launch_policy.alone * pattern.size;
}

/// Moves whole items through shared memory where they are small and odd. False where they are not.
bool copy_pattern(const Passage& move) {
  const Pattern* const pattern = move.layout.pattern();
  if (pattern == nullptr || few_or_linked(move.packed, move.layout, move.bytes()) ||
      words_alone(move, *pattern))
    return false;
  launch_pattern(move.direction, move.context, *pattern, move.layout.base(), move.packed.place(0),
                 move.range);
  return true;
}

/// The same from layout to layout.
bool copy_items(const Operand& destination, const Operand& source, ByteRange range,
                const LaunchContext& context) {
  const Pattern* const to = destination.pattern();
  const Pattern* const from = source.pattern();
  const std::int64_t bytes = range.end - range.begin;
  const bool by_bytes = bytes <= launch_policy.few_bytes || destination.on_link() || source.on_host();
  if (to == nullptr || from == nullptr || by_bytes) return false;
  return launch_pattern_copy(context, *to, destination.base(), *from, source.base(), range);
}

void pass(const Passage& move) {
  if (copy_transposed(move) || copy_pattern(move)) return;
  Launch launch{move.context, strategy_of(move)};
  const Span span = packed_span(move.packed, move.range, move.word_log2, launch.strategy);
  std::byte* const packed = move.packed.place(span.origin);
  Lookup lookup = Lookup::none;
  const View view = move.layout.view({span.origin, move.range.end}, move.word_log2, lookup);
  launch.reserved = reserved(move, launch.strategy, lookup, device(move.context.device));
  if (move.direction == Direction::pack) {
    launch_pack(launch, packed, view, lookup, span, move.word_log2);
  } else {
    launch_unpack(launch, view, lookup, packed, span, move.word_log2);
  }
}

void copy_part(const Operand& destination, const Operand& source, ByteRange range,
               const LaunchContext& context) {
  const int log2 = word_log2(destination, source);
  if (destination.contiguous()) return pass({Direction::pack, source, destination, range, log2, context});
  if (source.contiguous()) return pass({Direction::unpack, destination, source, range, log2, context});
  if (copy_items(destination, source, range, context)) return;
  const Span span(range, 1 << log2, 1 << log2, 0);
  Lookup lookup = Lookup::none;
  Lookup source_lookup = Lookup::none;
  const View to = destination.view({span.origin, range.end}, log2, lookup);
  const View from = source.view({span.origin, range.end}, log2, source_lookup);
  launch_copy({context}, to, lookup, from, source_lookup, span, log2);
}

/// Whether contiguous bytes are moved by a kernel.
bool by_kernel(const Operand& destination, const Operand& source, std::int64_t bytes,
               const LaunchContext& context) {
  if (!destination.on_link() && !source.on_link()) return bytes <= launch_policy.small_copy;
  const bool between_devices = !destination.on_host() && !source.on_host();
  return (recorded(context) || between_devices) && bytes <= launch_policy.small_transfer;
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
  for (std::int64_t begin = range.begin; begin < range.end; begin += launch_limit) {
    copy_part(destination, source, {begin, std::min(range.end, begin + launch_limit)}, context);
  }
}

}  // namespace typewarp::cuda
