// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/displaced.hpp"
#include "engine/cuda/launch.hpp"
#include "engine/cuda/graph.hpp"
#include "engine/cuda/operand.hpp"
#include "engine/cuda/transpose.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace typewarp::cuda {
namespace {

int word_log2(const Operand& destination, const Operand& source) {
  const std::int64_t bits = wide | destination.alignment() | source.alignment();
  return std::countr_zero(static_cast<std::uint64_t>(bits));
}

/// By DMA, which takes no multiprocessor and fills a link best.
void copy_contiguous(const Operand& destination, const Operand& source, ByteRange range, Stream stream) {
  if (Graph* const graph = Graph::recorded()) {
    return graph->add_copy(destination.place(range.begin), source.place(range.begin),
                           static_cast<std::size_t>(range.end - range.begin));
  }
  TYPEWARP_CUDA(cudaMemcpyAsync(destination.place(range.begin), source.place(range.begin),
                                static_cast<std::size_t>(range.end - range.begin), cudaMemcpyDefault,
                                stream));
}

/// How to go through the layout of `side` in words of this width.
Grain grain_of(const Operand& side, Direction direction, int word_log2) {
  const auto word = static_cast<double>(1 << word_log2);
  if (word_log2 < staged_words)
    return side.run() >= launch_policy.words_of_a_piece * word ? Grain::pieces : Grain::staged;
  const bool regular = side.shape().lookup == Lookup::none || side.shape().lookup == Lookup::list;
  const bool deep = !regular || (direction == Direction::pack && side.dense() && (1 << word_log2) < wide);
  return deep ? Grain::deep_words : Grain::words;
}

/// A span of packed bytes whose units lie at multiples of their size in memory.
Span packed_span(const Operand& packed, ByteRange range, int word_log2, Grain grain) {
  const int unit = unit_bytes(grain, word_log2);
  const auto base = reinterpret_cast<std::uintptr_t>(packed.place(0));
  const auto phase = static_cast<std::int64_t>(-base % static_cast<std::uintptr_t>(unit));
  return {range, 1 << word_log2, unit, phase};
}

/// Moves long rows over a link by DMA, which fills it better than kernels do. False where there are none, or
/// the move is recorded: launches of DMA in graphs start late.
bool copy_rows(const Operand& destination, const Operand& source, ByteRange range, Stream stream) {
  if (!destination.on_host() && !source.on_host()) return false;
  const Operand& layout = destination.contiguous() ? source : destination;
  const Operand& packed = destination.contiguous() ? destination : source;
  const Strided& shape = layout.shape().strided;
  if (Graph::recorded() != nullptr || layout.shape().lookup != Lookup::none || shape.depth != 2) return false;
  const std::int64_t row = shape.levels[0].count;
  const std::int64_t pitch = shape.levels[1].stride;
  constexpr std::int64_t longest_pitch = std::numeric_limits<std::int32_t>::max();
  const bool whole = range.begin % row == 0 && range.end % row == 0;
  if (row < launch_policy.dma_row || pitch < row || pitch > longest_pitch || !whole) return false;
  std::byte* const first = displaced(layout.base(), range.begin / row * pitch);
  std::byte* const bytes = packed.place(range.begin);
  const auto width = static_cast<std::size_t>(row);
  const auto rows = static_cast<std::size_t>((range.end - range.begin) / row);
  const auto step = static_cast<std::size_t>(pitch);
  if (&layout == &source) {
    TYPEWARP_CUDA(cudaMemcpy2DAsync(bytes, width, first, step, width, rows, cudaMemcpyDefault, stream));
  } else {
    TYPEWARP_CUDA(cudaMemcpy2DAsync(first, step, bytes, width, width, rows, cudaMemcpyDefault, stream));
  }
  return true;
}

/// Moves through tiles where the layout is transposed. False where it is not, or has no room for tiles.
bool copy_transposed(Direction direction, const Operand& layout, const Operand& packed, ByteRange range,
                     int word_log2, Device& device, Stream stream) {
  if (layout.shape().lookup != Lookup::none) return false;
  const auto tiled = transposition(layout.shape().strided, 1 << word_log2, range.end - range.begin);
  if (!tiled) return false;
  launch_transposed(*tiled, {direction, layout.base(), packed.place(0), range, &device, stream});
  return true;
}

/// Moves whole items through shared memory where they are small and odd. False where they are not, or the
/// packed bytes cross a link, which wider accesses fill better.
bool copy_pattern(Direction direction, const Operand& layout, const Operand& packed, ByteRange range,
                  const Launch& launch) {
  const Pattern* const pattern = layout.pattern();
  if (pattern == nullptr || packed.on_host()) return false;
  launch_pattern(direction, launch, *pattern, layout.base(), packed.place(0), range);
  return true;
}

/// What a move needs beside its sides.
struct Target {
  Device& device;
  Stream stream;

  Launch launch(const Operand& layout, Direction direction, int word_log2) const {
    return {device, stream, grain_of(layout, direction, word_log2)};
  }
};

void copy_part(const Operand& destination, const Operand& source, ByteRange range, const Target& target) {
  const int log2 = word_log2(destination, source);
  Lookup lookup = Lookup::none;
  const auto tiled = [&](Direction direction, const Operand& layout, const Operand& packed) {
    return copy_transposed(direction, layout, packed, range, log2, target.device, target.stream) ||
           copy_pattern(direction, layout, packed, range, {target.device, target.stream});
  };
  if (destination.contiguous()) {
    if (tiled(Direction::pack, source, destination)) return;
    const Launch launch = target.launch(source, Direction::pack, log2);
    const Span span = packed_span(destination, range, log2, launch.grain);
    const View view = source.view({span.origin, range.end}, log2, lookup);
    return launch_pack(launch, destination.place(span.origin), view, lookup, span, log2);
  }
  if (source.contiguous()) {
    if (tiled(Direction::unpack, destination, source)) return;
    const Launch launch = target.launch(destination, Direction::unpack, log2);
    const Span span = packed_span(source, range, log2, launch.grain);
    const View view = destination.view({span.origin, range.end}, log2, lookup);
    return launch_unpack(launch, view, lookup, source.place(span.origin), span, log2);
  }
  const Span span(range, 1 << log2, 1 << log2, 0);
  Lookup source_lookup = Lookup::none;
  const View to = destination.view({span.origin, range.end}, log2, lookup);
  const View from = source.view({span.origin, range.end}, log2, source_lookup);
  launch_copy({target.device, target.stream}, to, lookup, from, source_lookup, span, log2);
}

}  // namespace

void copy(const Side& destination_side, const Side& source_side, ByteRange range, int device_id,
          Stream stream) {
  if (range.begin == range.end) return;
  Device& home = device(device_id);
  home.prepare();
  const DeviceGuard guard(device_id);
  const Operand destination(destination_side, range, home, device_id);
  const Operand source(source_side, range, home, device_id);
  const bool link = destination.on_host() || source.on_host();
  const bool small =
      range.end - range.begin <= (link ? launch_policy.small_transfer : launch_policy.small_copy);
  if (destination.contiguous() && source.contiguous() && !small) {
    return copy_contiguous(destination, source, range, stream);
  }
  if ((destination.contiguous() || source.contiguous()) && copy_rows(destination, source, range, stream))
    return;
  const Target target{home, stream};
  for (std::int64_t begin = range.begin; begin < range.end; begin += launch_limit) {
    const ByteRange part{begin, std::min(range.end, begin + launch_limit)};
    copy_part(destination, source, part, target);
  }
}

}  // namespace typewarp::cuda
