// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/words.hpp"

namespace typewarp::gpu {
namespace {

bool can_words(const Query& query) { return query.move.has_packed_side(); }
bool can_small(const Query& query) { return can_words(query) && query.move.word_log2 < staged_words; }

bool few(const MoveTraits& move) {
  const bool link = move.on_link();
  return move.bytes() <= (link ? few_bytes.on_link : few_bytes.within_device);
}

bool suits_pieces(const Query& query) {
  const MoveTraits& move = query.move;
  const auto word = static_cast<double>(1 << move.word_log2);
  return can_small(query) && !few(move) && move.layout().run() >= words_policy.words_of_a_piece * word;
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
  if (move.bytes() <= words_policy.few_bytes) return false;
  const Lookup lookup = move.layout().shape().lookup;
  const bool regular = lookup == Lookup::none || lookup == Lookup::list;
  if (!regular) return true;
  const bool in_l2 = move.bytes() >= words_policy.deep_from && move.bytes() <= words_policy.deep_to;
  const bool deep = move.layout().dense() || (in_l2 && !move.layout().far());
  return move.packs() && (1 << move.word_log2) < wide && deep;
}

std::string needs_small() { return "words under 4 B, and packed bytes"; }
std::string needs_packed() { return "packed bytes"; }

}  // namespace

constinit const MethodRow pieces_row{
    .method = Method::pieces,
    .rule =
        [] {
          return "words under 4 B, " + std::to_string(words_policy.words_of_a_piece) +
                 " and more in a run, over " + bytes_text(few_bytes.within_device) + " (over a link " +
                 bytes_text(few_bytes.on_link) + "): 16 packed bytes a thread";
        },
    .needs = needs_small,
    .can = can_small,
    .suits = suits_pieces};

constinit const MethodRow staged_row{
    .method = Method::staged,
    .rule =
        [] {
          return std::string(
              "words under 4 B in shorter runs, as many bytes, unless unpacked within a device or far "
              "apart: gathered into 16 B in shared memory");
        },
    .needs = needs_small,
    .can = can_small,
    .suits = suits_staged};

constinit const MethodRow deep_words_row{.method = Method::deep_words,
                                         .rule =
                                             [] {
                                               return "irregular or dense layouts, over " +
                                                      bytes_text(words_policy.few_bytes) +
                                                      ": several words in flight a thread";
                                             },
                                         .needs = needs_packed,
                                         .can = can_words,
                                         .suits = suits_deep_words};

constinit const MethodRow words_row{
    .method = Method::words,
    .rule = [] { return std::string("all else between a layout and packed bytes: one word a thread"); },
    .needs = needs_packed,
    .can = can_words,
    .suits = can_words};

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

bool gains_by_reserve(const MoveTraits& move, Method method, Lookup lookup) {
  const bool small_stores = !move.packs() && move.word_log2 < staged_words;
  return method == Method::words && lookup == Lookup::none && !small_stores &&
         move.bytes() >= words_policy.far_size && move.layout().far();
}

}  // namespace typewarp::gpu
