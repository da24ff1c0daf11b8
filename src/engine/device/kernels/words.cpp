// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/words.hpp"

namespace typewarp::gpu {
namespace {

bool can_words(const Query& query) { return query.move.has_packed_side(); }
bool is_small(const MoveTraits& move) { return move.word_log2 < small_words; }
bool can_small(const Query& query) { return can_words(query) && is_small(query.move); }

bool few(const MoveTraits& move) {
  const bool link = move.on_link();
  return move.bytes() <= (link ? few_bytes.on_link : few_bytes.within_device);
}

/// Whether small words are packed that lie neither together nor far apart.
bool gathers(const MoveTraits& move) {
  return move.packs() && is_small(move) && !few(move) && !move.layout().far();
}

bool suits_pieces(const Query& query) {
  const MoveTraits& move = query.move;
  if (!can_small(query) || few(move)) return false;
  const auto word = static_cast<double>(1 << move.word_log2);
  const bool together = move.layout().run() >= words_policy.words_of_a_piece * word;
  return together || (gathers(move) && move.packed().on_link());
}

bool suits_deep_words(const Query& query) {
  const MoveTraits& move = query.move;
  if (!can_words(query)) return false;
  if (is_small(move)) return gathers(move);
  if (move.bytes() <= words_policy.few_bytes) return false;
  const Lookup lookup = move.layout().shape().lookup;
  const bool regular = lookup == Lookup::none || lookup == Lookup::list;
  if (!regular) return true;
  const bool in_l2 = move.bytes() >= words_policy.deep_from && move.bytes() <= words_policy.deep_to;
  const bool deep = move.layout().dense() || (in_l2 && !move.layout().far());
  return move.packs() && (1 << move.word_log2) < wide && deep;
}

}  // namespace

constinit const MethodRow pieces_row{
    .method = Method::pieces,
    .rule =
        [] {
          return "words under 4 B, " + std::to_string(words_policy.words_of_a_piece) +
                 " and more in a run or packed over a link unless far apart, over " +
                 bytes_text(few_bytes.within_device) + " (over a link " + bytes_text(few_bytes.on_link) +
                 "): 16 packed bytes a thread";
        },
    .needs = "words under 4 B, and packed bytes",
    .can = can_small,
    .suits = suits_pieces};

constinit const MethodRow deep_words_row{
    .method = Method::deep_words,
    .rule =
        [] {
          return "irregular or dense layouts, over " + bytes_text(words_policy.few_bytes) +
                 ", and words under 4 B packed within a device unless far apart, over " +
                 bytes_text(few_bytes.within_device) + ": several words in flight a thread";
        },
    .needs = "packed bytes",
    .can = can_words,
    .suits = suits_deep_words};

constinit const MethodRow words_row{
    .method = Method::words,
    .rule = [] { return std::string("all else between a layout and packed bytes: one word a thread"); },
    .needs = "packed bytes",
    .can = can_words,
    .suits = can_words};

KernelStrategy strategy_of(Method method) {
  switch (method) {
    case Method::pieces:
      return KernelStrategy::pieces;
    case Method::deep_words:
      return KernelStrategy::deep_words;
    default:
      return KernelStrategy::words;
  }
}

bool gains_by_reserve(const MoveTraits& move, Method method, Lookup lookup) {
  const bool small_stores = !move.packs() && is_small(move);
  return method == Method::words && lookup == Lookup::none && !small_stores &&
         move.bytes() >= words_policy.far_size && move.layout().far();
}

}  // namespace typewarp::gpu
