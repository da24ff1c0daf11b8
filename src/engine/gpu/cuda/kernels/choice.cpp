// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/kernels/choice.hpp"

#include <bit>
#include <cstdlib>

namespace typewarp::gpu {
namespace {

std::optional<Transposition> tiles_of(const MoveTraits& move) {
  const Shape& shape = move.layout().shape();
  if (!move.has_packed_side() || shape.lookup != Lookup::none) return std::nullopt;
  return transposition(shape.strided, 1 << move.word_log2, move.bytes());
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

bool suits_pattern(const MoveTraits& move) {
  if (!move.has_packed_side()) {
    const bool by_bytes =
        move.bytes() <= family_policy.few_bytes || move.destination.on_link() || move.source.on_host();
    return move.destination.pattern() != nullptr && move.source.pattern() != nullptr && !by_bytes;
  }
  const Pattern* const pattern = move.layout().pattern();
  return pattern != nullptr && !few_or_linked(move) && !words_alone(move, *pattern);
}

bool has_long_runs(const Described& side) {
  const Shape& shape = side.shape();
  return shape.lookup == Lookup::none && shape.fits(0) &&
         shape.strided.levels[0].count >= family_policy.long_run;
}

bool suits_runs(const MoveTraits& move) {
  return move.word_log2 < staged_words && !move.destination.contiguous() && !move.on_link() &&
         move.bytes() > family_policy.few_bytes && has_long_runs(move.destination) &&
         has_long_runs(move.source);
}

bool few(const MoveTraits& move) {
  const bool link = move.on_link();
  return move.bytes() <= (link ? family_policy.few_bytes_on_link : family_policy.few_bytes);
}

/// How to go through a layout in words of 1 or 2 bytes. Single words from and to packed bytes on a link waste
/// it, unless what takes longer is to find the others.
KernelStrategy strategy_of_small(const MoveTraits& move) {
  const auto word = static_cast<double>(1 << move.word_log2);
  if (few(move)) return KernelStrategy::words;
  if (move.layout().run() >= family_policy.words_of_a_piece * word) return KernelStrategy::pieces;
  const bool single = move.packs() ? move.layout().far() && !move.packed().on_link()
                                   : move.layout().sparse() || !move.packed().on_link();
  return single ? KernelStrategy::words : KernelStrategy::staged;
}

KernelStrategy strategy_of(const MoveTraits& move) {
  if (move.word_log2 < staged_words) return strategy_of_small(move);
  const Lookup lookup = move.layout().shape().lookup;
  const bool regular = lookup == Lookup::none || lookup == Lookup::list;
  const bool dense = move.packs() && move.layout().dense() && (1 << move.word_log2) < wide;
  return !regular || dense ? KernelStrategy::deep_words : KernelStrategy::words;
}

}  // namespace

int word_log2(const Described& destination, const Described& source) {
  const std::int64_t bits = wide | destination.alignment() | source.alignment();
  return std::countr_zero(static_cast<std::uint64_t>(bits));
}

Choice choose(const MoveTraits& move) {
  if (const auto tiles = tiles_of(move)) return {Family::transposed, {}, tiles};
  if (suits_runs(move)) return {Family::runs, {}, {}};
  if (suits_pattern(move)) return {Family::pattern, {}, {}};
  if (move.has_packed_side()) return {Family::words, strategy_of(move), {}};
  return {Family::layouts, {}, {}};
}

bool gains_by_reserve(const MoveTraits& move, KernelStrategy strategy, Lookup lookup) {
  const bool small_stores = !move.packs() && move.word_log2 < staged_words;
  return strategy == KernelStrategy::words && lookup == Lookup::none && !small_stores &&
         move.bytes() >= family_policy.far_size && move.layout().far();
}

}  // namespace typewarp::gpu
