// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/choice.hpp"

#include "engine/device/kernels/dma.hpp"
#include "engine/device/kernels/transpose.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace typewarp::gpu {
namespace {

bool can_dma(const Query& query) {
  return query.move.destination.contiguous() && query.move.source.contiguous();
}
bool suits_dma(const Query& query) {
  const MoveTraits& move = query.move;
  return contiguous_by_dma(move.destination, move.source, move.bytes(), query.recorded);
}

bool can_rows(const Query& query) {
  const MoveTraits& move = query.move;
  return !query.recorded && !row_copy(move.destination, move.source, move.range).empty();
}
bool suits_rows(const Query& query) {
  const MoveTraits& move = query.move;
  return !rows_by_dma(move.destination, move.source, move.range, query.recorded).empty();
}

bool can_boxes(const Query& query) {
  const MoveTraits& move = query.move;
  return query.list != nullptr && !query.recorded &&
         boxes(move.destination, move.source, move.range, box_policy.most, *query.list);
}
/// Only where hints ask for it: kernels are faster.
bool suits_boxes(const Query&) { return false; }

bool passes_pcie(const MoveTraits& move) { return move.destination.on_host() || move.source.on_host(); }

bool can_bounded(const Query&) { return true; }
/// What is urgent by a hint takes all blocks: beside kernels that memory bounds, few would take 2.8 times as
/// long as alone. So do lists in a graph, where few blocks would have no priority to gain by.
bool suits_bounded(const Query& query) {
  const MoveTraits& move = query.move;
  if (query.hints.max_blocks > 0) return true;
  if (!passes_pcie(move) || !move.has_packed_side() || query.hints.priority == Priority::high) return false;
  const Shape& shape = move.layout().shape();
  if (1 << move.word_log2 < family_policy.few_blocks_word) return false;
  const bool regular = shape.lookup == Lookup::none && shape.fits(move.word_log2);
  if (regular) return move.bytes() >= family_policy.few_blocks_from;
  return !query.recorded && move.bytes() >= family_policy.few_blocks_of_lists;
}

bool can_transposed(const Query& query) { return tiled(query.move).has_value(); }
bool suits_transposed(const Query& query) {
  const MoveTraits& move = query.move;
  return move.has_packed_side() && tiles_pay(move.layout().shape(), move.bytes()) && can_transposed(query);
}

/// Destinations whose runs are shorter would have more windows than 32 bits count.
constexpr std::int64_t shortest_run = wide;

bool in_runs(const Described& side) { return side.shape().lookup == Lookup::none && side.shape().fits(0); }
bool can_runs(const Query& query) {
  const MoveTraits& move = query.move;
  return in_runs(move.destination) && in_runs(move.source) &&
         move.destination.shape().strided.levels[0].count >= shortest_run;
}
bool has_long_runs(const Described& side) {
  return in_runs(side) && side.shape().strided.levels[0].count >= family_policy.long_run;
}
bool suits_runs(const Query& query) {
  const MoveTraits& move = query.move;
  return move.word_log2 < staged_words && !move.destination.contiguous() && !move.on_link() &&
         move.bytes() > family_policy.few_bytes && has_long_runs(move.destination) &&
         has_long_runs(move.source);
}

bool can_pattern(const Query& query) {
  const MoveTraits& move = query.move;
  if (move.has_packed_side()) return move.layout().pattern() != nullptr;
  return move.destination.pattern() != nullptr && move.source.pattern() != nullptr;
}

/// Whether whole items had better not go through shared memory: few of them, or over a link, which wider
/// accesses fill better.
bool few_or_linked(const MoveTraits& move) {
  return move.bytes() <= family_policy.few_bytes || move.on_link();
}

/// Whether the items are words that are moved faster one by one.
bool words_alone(const MoveTraits& move, const Pattern& pattern) {
  if (move.word_log2 == 0 || pattern.size != 1 << move.word_log2) return false;
  return move.packs() || std::abs(pattern.stride) > family_policy.alone * pattern.size;
}

bool suits_pattern(const Query& query) {
  const MoveTraits& move = query.move;
  if (!can_pattern(query)) return false;
  if (!move.has_packed_side()) {
    return move.bytes() > family_policy.few_bytes_on_link && !move.destination.on_link() &&
           !move.source.on_host();
  }
  return !few_or_linked(move) && !words_alone(move, *move.layout().pattern());
}

bool can_words(const Query& query) { return query.move.has_packed_side(); }
bool can_small(const Query& query) { return can_words(query) && query.move.word_log2 < staged_words; }

bool few(const MoveTraits& move) {
  const bool link = move.on_link();
  return move.bytes() <= (link ? family_policy.few_bytes_on_link : family_policy.few_bytes);
}

bool suits_pieces(const Query& query) {
  const MoveTraits& move = query.move;
  const auto word = static_cast<double>(1 << move.word_log2);
  return can_small(query) && !few(move) && move.layout().run() >= family_policy.words_of_a_piece * word;
}

/// Single words of 1 or 2 bytes from and to packed bytes on a link waste it, unless what takes longer is to
/// find the others: packing far ones, 1 B every 1,024, takes 133 us where staged ones take 179 (H100).
bool suits_staged(const Query& query) {
  const MoveTraits& move = query.move;
  if (!can_small(query) || few(move)) return false;
  const bool single = move.packs() ? move.layout().far() : move.layout().sparse() || !move.packed().on_link();
  return !single;
}

bool suits_deep_words(const Query& query) {
  const MoveTraits& move = query.move;
  if (!can_words(query) || move.word_log2 < staged_words) return false;
  if (move.bytes() <= family_policy.few_bytes_of_words) return false;
  const Lookup lookup = move.layout().shape().lookup;
  const bool regular = lookup == Lookup::none || lookup == Lookup::list;
  if (!regular) return true;
  const bool in_l2 = move.bytes() >= family_policy.deep_from && move.bytes() <= family_policy.deep_to;
  const bool deep = move.layout().dense() || (in_l2 && !move.layout().far());
  return move.packs() && (1 << move.word_log2) < wide && deep;
}

bool always(const Query&) { return true; }

/// For comparison only; it is what others fall back to, where nothing else finds the words of a layout.
bool can_generic(const Query& query) {
  return query.move.destination.has_items() || query.move.source.has_items();
}
bool suits_generic(const Query&) { return false; }

constexpr std::array rows{
    MethodRow{Method::dma, false, can_dma, suits_dma},
    MethodRow{Method::dma_rows, false, can_rows, suits_rows},
    MethodRow{Method::copy_engines, false, can_boxes, suits_boxes},
    MethodRow{Method::bounded, true, can_bounded, suits_bounded},
    MethodRow{Method::transposed, true, can_transposed, suits_transposed},
    MethodRow{Method::long_runs, true, can_runs, suits_runs},
    MethodRow{Method::pattern, true, can_pattern, suits_pattern},
    MethodRow{Method::pieces, true, can_small, suits_pieces},
    MethodRow{Method::staged, true, can_small, suits_staged},
    MethodRow{Method::deep_words, true, can_words, suits_deep_words},
    MethodRow{Method::words, true, can_words, can_words},
    MethodRow{Method::layouts, true, always, always},
    MethodRow{Method::generic, true, can_generic, suits_generic},
};
static_assert(rows.size() == static_cast<std::size_t>(Method::generic));
constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].method) != i + 1) return false;
  }
  return true;
}
static_assert(in_order(), "the order of enum class Method");

Method choose_by_hints(const Query& query) {
  const Hints& hints = query.hints;
  if (hints.method != Method::automatic) {
    const MethodRow& forced = rows[static_cast<std::size_t>(hints.method) - 1];
    if (possible(forced, query)) return forced.method;
  }
  const auto spares = [&](const MethodRow& row) {
    const auto taken = static_cast<unsigned>(used(row, query.move)) & static_cast<unsigned>(hints.avoid);
    return taken == 0 && possible(row, query);
  };
  for (const MethodRow& row : rows) {
    if (row.suits(query) && spares(row)) return row.method;
  }
  // Rows that never suit by themselves come after those that a hint asks for, and Method::generic last.
  const auto end = rows.end() - 1;
  const auto sparing = std::find_if(rows.begin(), end, spares);
  if (sparing != end) return sparing->method;
  if (holds(hints.avoid, Resource::multiprocessors)) return Method::bounded;
  Query others = query;
  others.hints.avoid = Resource::none;
  others.hints.method = Method::automatic;
  return choose_by_hints(others);
}

}  // namespace

std::span<const MethodRow> method_rows() noexcept { return rows; }

Resource used(const MethodRow& row, const MoveTraits& move) {
  const bool engines = !row.kernel && move.on_link();
  return engines ? Resource::copy_engines : Resource::multiprocessors;
}

bool possible(const MethodRow& row, const Query& query) {
  if (query.by_kernels && !row.kernel) return false;
  if (query.hints.max_blocks > 0 && row.method != Method::bounded &&
      used(row, query.move) == Resource::multiprocessors) {
    return false;
  }
  return row.can(query);
}

Method choose(const Query& query) {
  if (!query.hints.empty()) return choose_by_hints(query);
  for (const MethodRow& row : rows) {
    if (row.suits(query) && (row.kernel || !query.by_kernels)) return row.method;
  }
  return Method::layouts;
}

KernelStrategy strategy_of(Method method) {
  switch (method) {
    case Method::pieces:
      return KernelStrategy::pieces;
    case Method::staged:
      return KernelStrategy::staged;
    case Method::deep_words:
      return KernelStrategy::deep_words;
    default:
      return KernelStrategy::words;
  }
}

int block_limit(const Hints& hints) {
  return hints.max_blocks > 0 ? hints.max_blocks : family_policy.few_blocks;
}

Priority priority_of(const Query& query, Method method) {
  const Priority wanted = query.hints.priority;
  const bool few = method == Method::bounded && passes_pcie(query.move);
  return wanted == Priority::automatic && few ? Priority::high : wanted;
}

int word_log2(const Described& destination, const Described& source) {
  const std::int64_t bits = wide | destination.alignment() | source.alignment();
  return std::countr_zero(static_cast<std::uint64_t>(bits));
}

bool gains_by_reserve(const MoveTraits& move, Method method, Lookup lookup) {
  const bool small_stores = !move.packs() && move.word_log2 < staged_words;
  return method == Method::words && lookup == Lookup::none && !small_stores &&
         move.bytes() >= family_policy.far_size && move.layout().far();
}

}  // namespace typewarp::gpu
