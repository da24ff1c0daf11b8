// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/copy.hpp"

#include "engine/runtime/memory.hpp"
#include "engine/runtime/stream.hpp"
#include "engine/runtime/displaced.hpp"
#include "engine/runtime/side_stream.hpp"
#include "engine/runtime/enqueue.hpp"
#include "engine/device/kernels/dma.hpp"
#include "engine/device/kernels/move.hpp"
#include "engine/device/kernels/layouts.hpp"
#include "engine/device/kernels/long_runs.hpp"
#include "engine/device/kernels/pattern_move.hpp"
#include "engine/device/kernels/words.hpp"
#include "engine/device/kernels/transpose.hpp"
#include "engine/device/layout/operand.hpp"
#include "engine/device/move/choice.hpp"
#include "base/environment.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace typewarp::gpu {
namespace {

/// Whether DMA has taken a copy of `rows`. It refuses memory of several allocations, such as a struct of
/// parts of several arrays. Kernels of the device do reach that, as far as the last bytes of both sides tell.
/// Throws the refusal where they do not.
bool taken(const Refusal& refusal, const LaunchContext& context, const RowCopy& rows) {
  if (!refusal) return true;
  const auto reached = [&](const std::byte* byte) {
    return reachable(byte, pointer_info(byte), context.device);
  };
  if (!reached(rows.last_byte(rows.to)) || !reached(rows.last_byte(rows.from))) throw *refusal;
  return false;
}

void launch(const Move& move, Method method, const Hints& hints) {
  switch (method) {
    case Method::transposed:
      return launch_transposed(*tiled(move),
                               {move.direction(), move.layout().base(), move.packed().place(0), move.range},
                               move.context);
    case Method::long_runs:
      return launch_runs(move);
    case Method::pattern:
      return launch_pattern(move) ? void() : launch_layouts(move);
    case Method::pieces:
    case Method::deep_words:
    case Method::words:
      return launch_words(move, method);
    case Method::bounded:
      return launch_layouts(move, block_limit(hints));
    default:
      return launch_layouts(move);
  }
}

/// Says once for each method that a hint asks for, and that a move does not allow, where TYPEWARP_VERBOSE
/// asks.
void tell(Method wanted, Method taken) {
  static const bool verbose = environment::is_set("TYPEWARP_VERBOSE");
  static std::atomic<unsigned> told{0};
  const unsigned bit = 1u << static_cast<unsigned>(wanted);
  if (!verbose || wanted == Method::automatic || wanted == taken || (told.fetch_or(bit) & bit) != 0) return;
  std::fprintf(stderr, "typewarp: method=%s is impossible for a move, which goes by %s\n",
               name(wanted).data(), name(taken).data());
}

/// A move whose method is chosen: for which stream makes no difference to that.
struct Chosen {
  const Operand& destination;
  const Operand& source;
  Query query;
  Method method;
};

/// By DMA, which takes no multiprocessor and fills a link best. False where copy engines refuse it.
bool copied_by_engines(const Chosen& move, const LaunchContext& context) {
  const ByteRange range = move.query.move.range;
  if (move.method == Method::dma) {
    const std::int64_t bytes = range.end - range.begin;
    const RowCopy all{
        {move.destination.place(range.begin), bytes}, {move.source.place(range.begin), bytes}, bytes};
    return taken(enqueue_copy(context, all.to.first, all.from.first, static_cast<std::size_t>(bytes)),
                 context, all);
  }
  const RowCopy rows = *row_copy(move.destination, move.source, range);
  return taken(enqueue_rows(context, rows), context, rows);
}

/// Where copy engines refuse it, and in each launch of a large move, the choice is made again.
void enqueue_move(Chosen move, const LaunchContext& context) {
  const ByteRange range = move.query.move.range;
  const int log2 = move.query.move.word_log2;
  if (move.method < Method::bounded) {
    if (copied_by_engines(move, context)) return;
    move.query.by_kernels = true;
    move.method = choose(move.query);
  }
  const bool one = range.end - range.begin <= launch_limit;
  for (std::int64_t begin = range.begin; begin < range.end; begin += launch_limit) {
    const Move part{{move.destination, move.source, {begin, std::min(range.end, begin + launch_limit)}, log2},
                    context};
    if (!one) {
      move.method = choose({.move = part.traits(),
                            .hints = move.query.hints,
                            .recorded = move.query.recorded,
                            .by_kernels = true});
    }
    launch(part, move.method, move.query.hints);
  }
}

/// The driver's kernels, which copy within a device, have the priority of their stream. Our kernels have
/// their own, and copy engines know none.
bool goes_beside(const Chosen& move, const LaunchContext& context) {
  return !move.query.recorded && move.method < Method::bounded && !move.query.move.on_link() &&
         needs_side_stream(context.device, context.stream, move.query.hints.priority);
}

}  // namespace

void copy(const Side& destination_side, const Side& source_side, ByteRange range,
          const LaunchContext& context) {
  if (range.begin == range.end) return;
  Device& home = device(context.device);
  home.prepare();
  const DeviceGuard guard(home.id());
  Hints hints = hints_of(destination_side.plan, source_side.plan);
  const bool generic = asks_for_generic(hints);
  const Operand destination(destination_side, range, home, generic);
  const Operand source(source_side, range, home, generic);
  // What Method::generic stands for is the best of the others, for layouts without another lookup.
  if (generic) {
    hints.method = Method::automatic;
    hints.avoid = Resource::none;
  }
  const Query query{.move = {destination, source, range, word_log2(destination, source)},
                    .hints = hints,
                    .recorded = recorded(context)};
  const Chosen move{destination, source, query, choose(query)};
  if (!hints.empty()) tell(hints.method, move.method);
  LaunchContext own = context;
  own.priority = priority_of(query, move.method);
  if (!goes_beside(move, own)) return enqueue_move(move, own);
  on_side_stream(own, hints.priority, [&](const LaunchContext& beside) { enqueue_move(move, beside); });
}

}  // namespace typewarp::gpu
